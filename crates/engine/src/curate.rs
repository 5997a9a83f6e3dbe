//! Reading and curating lessons: what a person or an agent asks for by number or by words.

mod hold;

use hardwon_core::{
    change::{Actor, Batch, Change, Unfit, approve, relocate, revise, supersede, withdraw},
    guard,
    id::{LessonId, ProjectId, TenantId},
    lesson::{Draft, Lesson, Status, Trust, TrustClass},
    limits, rank, redact,
    text::{CleanText, RawText},
};
use hardwon_store::{Listing, Write};

use crate::{Engine, Result};

/// New words for a lesson; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edit {
    /// What calls for it.
    pub signature: Option<RawText>,
    /// What to do or avoid.
    pub text: Option<RawText>,
    /// Its topics.
    pub tags: Option<Vec<RawText>>,
}

/// What somebody said about a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opinion {
    /// It was followed; whether that helped, nobody says.
    Followed,
    /// It helped.
    Helped,
    /// It is wrong.
    Wrong,
}

impl Opinion {
    /// Returns whether it speaks for the lesson; none if it is no judgement.
    pub(crate) fn is_good(self) -> Option<bool> {
        match self {
            Self::Followed => None,
            Self::Helped => Some(true),
            Self::Wrong => Some(false),
        }
    }
}

impl Engine {
    /// Returns a lesson in whatever state.
    pub fn lesson(&self, tenant: &TenantId, id: LessonId) -> Result<Option<Lesson>> {
        Ok(self.store.lesson(tenant, id)?)
    }

    /// Returns a page of lessons.
    pub fn lessons(&self, tenant: &TenantId, listing: &Listing) -> Result<Vec<Lesson>> {
        Ok(self.store.lessons(tenant, listing)?)
    }

    /// Finds the lessons that hold all words of a search, those first that are nearest to it, leaving
    /// out what has stepped back unless that is asked for.
    pub fn search_words(&self, tenant: &TenantId, listing: &Listing) -> Result<Vec<Lesson>> {
        let mut page = Listing {
            limit: limits::PAGE,
            ..listing.clone()
        };
        let mut found = Vec::new();
        while found.len() < limits::SEARCHED {
            let lessons = self.store.lessons(tenant, &page)?;
            let Some(last) = lessons.last() else { break };
            page.before = Some(last.id);
            found.extend(lessons);
        }
        if listing.status.is_none() {
            let is_gone =
                |it: &Status| matches!(it, Status::Archived { .. } | Status::Superseded { .. });
            found.retain(|it| !is_gone(&it.status));
        }
        rank::order_found(&mut found, &listing.text);
        found.truncate(listing.limit);
        Ok(found)
    }

    /// Returns the lessons that say the opposite of one and may be believed, too.
    pub fn contradictions(&self, lesson: &Lesson) -> Result<Vec<Lesson>> {
        let now = self.clock.now();
        let mut others = Vec::new();
        for id in &lesson.contradicts {
            let other = self.store.lesson(&lesson.scope.tenant, *id)?;
            others.extend(other.filter(|other| lesson.is_contradicted_by(other, now)));
        }
        Ok(others)
    }

    /// Gives a lesson a person's new words, or says why they will not do.
    pub fn revise(
        &self,
        lesson: &Lesson,
        edit: Edit,
        by: &Actor,
    ) -> Result<std::result::Result<Lesson, String>> {
        let draft = redrafted(lesson, edit);
        let admitted = match guard::admit(draft, &self.policy.guard) {
            guard::Verdict::Admitted(admitted) => match crate::why(&admitted.status) {
                None => *admitted,
                Some(why) => return Ok(Err(why)),
            },
            guard::Verdict::Rejected { reasons } => {
                let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                return Ok(Err(reasons.join("; ")));
            }
        };
        let now = self.clock.now();
        self.decide(lesson, by, &mut |tx, lesson| {
            let known = tx.known(&admitted, self.policy.capacity)?;
            Ok(revise(lesson, admitted.clone(), &known, now))
        })
        .map(|revised| revised.map_err(|unfit| unfit.to_string()))
    }

    /// Lets a lesson that waits be recalled, because a person said so; what it replaces steps back
    /// unless it stands on a better word, and so do the least useful if there is no room.
    pub fn approve(&self, lesson: &Lesson, why: Option<&RawText>, by: &Actor) -> Result<Lesson> {
        let why = why.map(reason);
        let (capacity, now) = (self.policy.capacity, self.clock.now());
        let approved = self.decide(lesson, by, &mut |tx, lesson| {
            let known = tx.known(lesson, capacity)?;
            Ok(Ok(approve(lesson, &known, capacity, why.clone(), now)))
        })?;
        Ok(approved.unwrap_or_else(|_| lesson.clone()))
    }

    /// Puts one lesson in another's place, because a person said so, or says why that will not do.
    /// Returns the one that stepped back.
    pub fn supersede(
        &self,
        old: &Lesson,
        new: &Lesson,
        why: Option<&RawText>,
        by: &Actor,
    ) -> Result<std::result::Result<Lesson, Unfit>> {
        let why = why.map(reason);
        let author = Trust::of(TrustClass::Person);
        self.decide(old, by, &mut |tx, old| {
            let present = tx.lesson(&new.scope.tenant, new.id)?;
            let new = present.as_ref().unwrap_or(new);
            Ok(supersede(old, new, author, why.clone()))
        })
    }

    /// Moves a lesson to another project, or to where it holds everywhere, because a person said so; or
    /// says why that will not do.
    pub fn relocate(
        &self,
        lesson: &Lesson,
        project: Option<&ProjectId>,
        by: &Actor,
    ) -> Result<std::result::Result<Lesson, Unfit>> {
        let (capacity, now) = (self.policy.capacity, self.clock.now());
        self.decide(lesson, by, &mut |tx, lesson| {
            let mut there = lesson.admitted.clone();
            there.scope.project = project.cloned();
            let known = tx.known(&there, capacity)?;
            Ok(relocate(lesson, project, &known, capacity, now))
        })
    }

    /// Carries out what is decided about a lesson as it is by then, and returns what became of it.
    fn decide(
        &self,
        lesson: &Lesson,
        by: &Actor,
        decide: &mut dyn FnMut(&dyn Write, &Lesson) -> hardwon_store::Result<Decided>,
    ) -> Result<std::result::Result<Lesson, Unfit>> {
        let tenant = &lesson.scope.tenant;
        let at = self.clock.now();
        let mut unfit = None;
        self.store.commit(tenant, &mut |tx| {
            let present = tx.lesson(tenant, lesson.id)?;
            match decide(&*tx, present.as_ref().unwrap_or(lesson))? {
                Ok(changes) => tx.apply(&Batch {
                    tenant: tenant.clone(),
                    actor: by.clone(),
                    at,
                    changes,
                }),
                Err(why) => {
                    unfit = Some(why);
                    Ok(())
                }
            }
        })?;
        match unfit {
            Some(why) => Ok(Err(why)),
            None => self.present(lesson).map(Ok),
        }
    }

    /// Takes a lesson out of the active set, for this reason; it stays on record.
    pub fn archive(&self, lesson: &Lesson, why: &RawText, by: &Actor) -> Result<Lesson> {
        let status = Status::Archived { why: reason(why) };
        self.change(
            lesson,
            vec![Change::SetStatus {
                id: lesson.id,
                status,
            }],
            by,
        )
    }

    /// Takes a lesson out of the active set on somebody's word, or says why that word does not do.
    pub fn forget(
        &self,
        lesson: &Lesson,
        why: &RawText,
        word: Trust,
        by: &Actor,
    ) -> Result<std::result::Result<Lesson, String>> {
        let status = Status::Archived { why: reason(why) };
        self.withdraw(lesson, status, word, by)
    }

    pub(crate) fn withdraw(
        &self,
        lesson: &Lesson,
        status: Status,
        word: Trust,
        by: &Actor,
    ) -> Result<std::result::Result<Lesson, String>> {
        self.decide(lesson, by, &mut |_, lesson| {
            Ok(withdraw(lesson, word, status.clone()))
        })
        .map(|gone| gone.map_err(|unfit| stays(lesson, unfit)))
    }

    /// Erases a lesson; the journal keeps only that it was there.
    pub fn erase(&self, lesson: &Lesson, by: &Actor) -> Result<()> {
        self.commit(
            &lesson.scope.tenant,
            vec![Change::Delete { id: lesson.id }],
            by,
        )
    }

    fn change(&self, lesson: &Lesson, changes: Vec<Change>, by: &Actor) -> Result<Lesson> {
        self.commit(&lesson.scope.tenant, changes, by)?;
        self.present(lesson)
    }

    /// Returns what became of a lesson.
    pub(crate) fn present(&self, lesson: &Lesson) -> Result<Lesson> {
        let present = self.store.lesson(&lesson.scope.tenant, lesson.id)?;
        Ok(present.unwrap_or_else(|| lesson.clone()))
    }

    pub(crate) fn commit(&self, tenant: &TenantId, changes: Vec<Change>, by: &Actor) -> Result<()> {
        let at = self.clock.now();
        let batch = Batch {
            tenant: tenant.clone(),
            actor: by.clone(),
            at,
            changes,
        };
        self.store
            .commit(tenant, &mut |tx: &mut dyn Write| tx.apply(&batch))?;
        Ok(())
    }
}

/// Says why a lesson stays that somebody wanted gone, and who may take it out.
fn stays(lesson: &Lesson, unfit: Unfit) -> String {
    let Unfit::Beneath(id) = unfit else {
        return unfit.to_string();
    };
    let whose = match lesson.trust.class {
        TrustClass::Person => "a person wrote it",
        _ => {
            "its source is trusted more than what an agent says after reading content from outside"
        }
    };
    format!(
        "{id} stays: {whose}; a person can remove it with `hardwon lesson delete {}`",
        id.0
    )
}

/// What to do to a lesson, or why nothing can be done.
type Decided = std::result::Result<Vec<Change>, Unfit>;

fn reason(why: &RawText) -> CleanText {
    redact::clean(why, limits::SITUATION_CHARS)
}

/// Makes a person's draft of a lesson's words and the new ones in their place.
fn redrafted(lesson: &Lesson, edit: Edit) -> Draft {
    let raw = |text: &CleanText| RawText::from(text.as_str());
    let mut content = lesson.content.map(raw);
    // A title that was made from the old words would no longer fit.
    if edit.text.is_some() {
        content.title = RawText::default();
    }
    content.signature = edit.signature.unwrap_or(content.signature);
    content.text = edit.text.unwrap_or(content.text);
    content.tags = edit.tags.unwrap_or(content.tags);
    Draft {
        scope: lesson.scope.clone(),
        content,
        cause: lesson.cause,
        outcome: lesson.outcome,
        evidence: lesson
            .evidence
            .iter()
            .map(|evidence| evidence.map(raw))
            .collect(),
        trust: Trust::of(TrustClass::Person),
        confidence: lesson.confidence,
        failure: lesson.failure.clone(),
        expires_at: lesson.expires_at,
        supersedes: lesson.supersedes.clone(),
        task: lesson.task.as_ref().map(raw),
    }
}
