//! A verb of the API: one row that says where it is, who may, how it is run, and what is sent and answered.
//!
//! How a request gets to its handler, the check of rights and the repetition of requests are loops over the rows, and so is
//! the description, which a test makes of their forms and of what the handlers' doc comments say. A handler is a plain function
//! of a [`Door`] and of what was sent, and does its work on a thread; the few that read a body in pieces, or choose a thread by
//! what was sent, are futures of their own.

use std::{any::type_name, pin::Pin, sync::Arc};

use axum::{
    Router,
    extract::{DefaultBodyLimit, FromRequest, Path, Request},
    http::{Method, StatusCode},
    middleware::from_fn_with_state,
    response::{IntoResponse as _, Response},
    routing::{MethodFilter, on},
};
use utoipa::{
    IntoParams, ToSchema,
    openapi::{
        Content, ObjectBuilder, Ref, RefOr, Required, ResponseBuilder, Schema, Type,
        path::{Operation, ParameterBuilder, ParameterIn},
        request_body::RequestBodyBuilder,
    },
};

use super::{
    door::Door,
    query::{LessonNumber, QueryOf},
    repeats,
};
use crate::{
    ApiError, Capability, Result, SharedState, body::JsonBody, error::ProblemDto, housekeeping,
};

pub(super) use crate::workers::WorkKind::{self, Learn, Read, Write};

pub(super) const JSON: &str = "application/json";

/// A verb, as it is served.
pub(super) struct VerbRow {
    pub(super) form: VerbForm,
    call: Call,
    body_bytes: Option<usize>,
}

/// What a request goes through once its key is known.
struct Call {
    right: Option<Capability>,
    counts_recalls: bool,
    run: Box<dyn Fn(Door, Request, Option<Capability>) -> Pending + Send + Sync>,
    /// The status of an answer when it is done, if the handler says nothing else.
    status: StatusCode,
}

type Pending = Pin<Box<dyn Future<Output = Result<Response, Response>> + Send>>;

impl Call {
    async fn answer(&self, door: Door, request: Request) -> Result<Response, Response> {
        if self.counts_recalls {
            housekeeping::count_recalls(&door.state, door.caller.tenant()).await;
        }
        let mut response = (self.run)(door, request, self.right).await?;
        if response.status() == StatusCode::OK {
            *response.status_mut() = self.status;
        }
        Ok(response)
    }
}

/// A verb, as it is described. A release serves the description that was made of it, and has only the first four.
pub struct VerbForm {
    /// The path of its handler in this crate, such as `hardwon_server::v1::lessons::add_lesson`.
    pub handler: &'static str,
    /// The method of its requests.
    pub method: Method,
    /// Their path, with names in braces for what differs.
    pub path: &'static str,
    /// Whether a request may be named by an `Idempotency-Key`, to be repeated.
    pub is_repeatable: bool,
    /// What is sent and answered; what any verb takes and answers is not among it.
    pub operation: Operation,
    /// The schemas of the types in it, by name.
    pub schemas: Vec<(String, RefOr<Schema>)>,
}

impl VerbForm {
    /// Describes the JSON of a type.
    pub(super) fn add_json<T: ToSchema>(&mut self) -> Content {
        self.schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(&mut self.schemas);
        Content::new(Some(Ref::from_schema_name(T::name())))
    }

    pub(super) fn add_body(&mut self, media_type: &str, content: Content, text: Option<String>) {
        let body = RequestBodyBuilder::new().content(media_type, content);
        let body = body
            .description(text)
            .required(Some(Required::True))
            .build();
        self.operation.request_body = Some(RefOr::T(body));
    }

    pub(super) fn add_answer(&mut self, status: u16, response: ResponseBuilder, text: &str) {
        let response = RefOr::T(response.description(text).build());
        let responses = &mut self.operation.responses.responses;
        responses.insert(status.to_string(), response);
    }

    fn add_parameter(&mut self, name: &str, place: ParameterIn, text: Option<&str>) {
        let right = match place {
            ParameterIn::Path => Required::True,
            _ => Required::False,
        };
        let parameter = ParameterBuilder::new()
            .name(name)
            .parameter_in(place)
            .description(text)
            .required(right)
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)));
        let parameters = self.operation.parameters.get_or_insert_default();
        parameters.push(RefOr::T(parameter.build()));
    }
}

/// What a handler takes of a request.
pub(super) trait Input: Send + 'static {
    /// Adds it to the form of a verb, unless its row or its path says it.
    fn describe(_: &mut VerbForm) {}
}

impl Input for () {}
impl Input for Request {}
impl Input for Path<String> {}
impl Input for LessonNumber {}

impl<T: IntoParams + Send + 'static> Input for QueryOf<T> {
    fn describe(form: &mut VerbForm) {
        let parameters = form.operation.parameters.get_or_insert_default();
        let query = T::into_params(|| Some(ParameterIn::Query));
        parameters.extend(query.into_iter().map(RefOr::T));
    }
}

impl<T: ToSchema + Send + 'static> Input for JsonBody<T> {
    fn describe(form: &mut VerbForm) {
        let content = form.add_json::<T>();
        form.add_body(JSON, content, None);
    }
}

impl<A: Input, B: Input> Input for (A, B) {
    fn describe(form: &mut VerbForm) {
        A::describe(form);
        B::describe(form);
    }
}

/// Makes a verb whose handler is run on a thread. `route` is its method and path.
pub(super) fn verb<I, M, H>(route: &'static str, work: WorkKind, handler: H) -> VerbRow
where
    I: FromRequest<SharedState, M> + Input,
    M: 'static,
    H: Fn(&Door, I) -> Result<Response> + Copy + Send + Sync + 'static,
{
    let on_thread =
        move |door: Door, input: I| door.run(work, move |door: &Door| handler(door, input));
    VerbRow::new::<I, M, H, _>(route, on_thread)
}

/// Makes a verb whose handler sees to threads itself.
pub(super) fn own_verb<I, M, H, F>(route: &'static str, handler: H) -> VerbRow
where
    I: FromRequest<SharedState, M> + Input,
    M: 'static,
    H: Fn(Door, I) -> F + Copy + Send + Sync + 'static,
    F: Future<Output = Result<Response>> + Send + 'static,
{
    VerbRow::new::<I, M, H, F>(route, handler)
}

impl VerbRow {
    /// Makes the verb of a handler `H`; `run` is how it is run.
    fn new<I, M, H, F>(
        route: &'static str,
        run: impl Fn(Door, I) -> F + Copy + Send + Sync + 'static,
    ) -> Self
    where
        I: FromRequest<SharedState, M> + Input,
        M: 'static,
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        let (method, path) = route.split_once(' ').expect("a method and a path");
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let form = VerbForm {
            handler: type_name::<H>(),
            is_repeatable: method == Method::POST,
            method,
            path,
            operation: Operation::new(),
            schemas: Vec::new(),
        };
        let run = move |door: Door, request: Request, right: Option<Capability>| -> Pending {
            Box::pin(async move {
                let input = I::from_request(request, &door.state).await;
                let input = input.map_err(|refusal| refusal.into_response())?;
                let right_check = right.map_or(Ok(()), |right| door.caller.check_capability(right));
                right_check.map_err(ApiError::into_response)?;
                run(door, input).await.map_err(ApiError::into_response)
            })
        };
        let call = Call {
            right: None,
            counts_recalls: false,
            run: Box::new(run),
            status: StatusCode::OK,
        };
        let verb = Self {
            form,
            call,
            body_bytes: None,
        };
        verb.describe(|form| {
            let parts = path.split('/').filter_map(|part| part.strip_prefix('{'));
            for part in parts {
                form.add_parameter(part.trim_end_matches('}'), ParameterIn::Path, None);
            }
            I::describe(form);
        })
    }

    /// Describes something, but in a release, which would have all the schemas to no purpose.
    pub(super) fn describe(mut self, add: impl FnOnce(&mut VerbForm)) -> Self {
        if cfg!(debug_assertions) {
            add(&mut self.form);
        }
        self
    }

    /// Says what the body is.
    pub(super) fn sends(self, text: &'static str) -> Self {
        self.describe(|form| {
            if let Some(RefOr::T(body)) = &mut form.operation.request_body {
                body.description = Some(text.to_owned());
            }
        })
    }

    /// Says that the body is bytes, and what they are.
    pub(super) fn sends_bytes(self, media_type: &'static str, text: &'static str) -> Self {
        let text = Some(text.to_owned());
        self.describe(|form| form.add_body(media_type, Content::default(), text))
    }

    /// Says what the part of the path in braces is, which goes without saying of a lesson.
    pub(super) fn named(self, text: &'static str) -> Self {
        self.describe(|form| {
            if let Some([RefOr::T(part), ..]) = form.operation.parameters.as_deref_mut() {
                part.description = Some(text.to_owned());
            }
        })
    }

    /// Says what a header is that is taken.
    pub(super) fn header(self, name: &'static str, text: &'static str) -> Self {
        self.describe(|form| form.add_parameter(name, ParameterIn::Header, Some(text)))
    }

    /// Says what is answered when it is done, and has it made known if that is that something was made.
    pub(super) fn tells<T: ToSchema>(mut self, status: u16, text: &'static str) -> Self {
        if status == StatusCode::CREATED.as_u16() {
            self.call.status = StatusCode::CREATED;
        }
        self.describe(|form| {
            let json = form.add_json::<T>();
            form.add_answer(status, ResponseBuilder::new().content(JSON, json), text);
        })
    }

    /// Says that bytes are answered, and what they are.
    pub(super) fn tells_bytes(self, media_type: &'static str, text: &'static str) -> Self {
        let response = ResponseBuilder::new().content(media_type, Content::default());
        self.describe(|form| form.add_answer(200, response, text))
    }

    /// Says when it is not done; a status below 400 comes without a body.
    pub(super) fn or(self, status: u16, text: &'static str) -> Self {
        match status {
            400.. => self.tells::<ProblemDto<'_>>(status, text),
            _ => self.describe(|form| form.add_answer(status, ResponseBuilder::new(), text)),
        }
    }

    /// Has only keys in that may do this; what is sent is read first.
    pub(super) fn needs(mut self, right: Capability) -> Self {
        self.call.right = Some(right);
        self
    }

    /// Has recalls counted first, which change what is known of lessons.
    pub(super) fn counts_recalls(mut self) -> Self {
        self.call.counts_recalls = true;
        self
    }

    /// Takes a body of so many bytes.
    pub(super) fn takes_up_to(self, bytes: usize) -> Self {
        let body_bytes = Some(bytes);
        Self { body_bytes, ..self }
    }

    /// Passes an `Idempotency-Key` by, because what is done counts once by itself, or changes nothing.
    pub(super) fn counts_once(mut self) -> Self {
        self.form.is_repeatable = false;
        self
    }

    /// Serves it, with what every verb goes through.
    pub(super) fn serve(self, state: &SharedState) -> Router<SharedState> {
        let call = Arc::new(self.call);
        let handler = move |door: Door, request: Request| {
            let call = Arc::clone(&call);
            async move { call.answer(door, request).await }
        };
        let method = MethodFilter::try_from(self.form.method).expect("a method that is routed");
        let mut route = on(method, handler);
        if self.form.is_repeatable {
            let once = from_fn_with_state(SharedState::clone(state), repeats::answer_once);
            route = route.route_layer(once);
        }
        if let Some(bytes) = self.body_bytes {
            route = route.layer(DefaultBodyLimit::max(bytes));
        }
        Router::new().route(self.form.path, route)
    }
}
