"""A program in Python uses the server through the client that was generated from its description. Run by clients.sh."""
import io, os

from hardwon_client import AuthenticatedClient
from hardwon_client.api.effects import list_effects, show_effect
from hardwon_client.api.journal import list_entries, show_history, verify_journal
from hardwon_client.api.keys import add_key, list_audit, list_keys, revoke_key, rotate_key, verify_log
from hardwon_client.api.learn import learn_from_transcript, observe_run, report_run_end, run_writs
from hardwon_client.api.lessons import add_lesson, delete_lesson, judge_lesson, list_lessons, revise_lesson, show_lesson
from hardwon_client.api.recall import list_recalls, recall_lessons, show_recall
from hardwon_client.api.reviews import approve_lesson, edit_lesson, list_reviews, reject_lesson, show_review
from hardwon_client.api.tenants import add_tenant, erase_tenant, list_tenants
from hardwon_client.models import (
    ApprovalBody, FeedbackBody, FeedbackVerdict, LessonPatch, LessonProposal, LoopNudge, LearnedNudge, NewKeyBody, NewKeyBodyRole,
    NewTenantBody, ObserveBody, ProblemDto, RecallBody, RejectionBody, RotationBody, RunEndBody, RunEndStatus, TraceEvent, WritBody)
from hardwon_client.types import File

URL, PROJECT = os.environ["HARDWON_URL"], "orchard"


def client(key):
    return AuthenticatedClient(base_url=URL, token=key, raise_on_unexpected_status=True)


OWNER, OPERATOR = client(os.environ["HARDWON_OWNER"]), client(os.environ["HARDWON_OPERATOR"])


def send(route, *parts, status=200, by=OWNER, **more):
    """Sends a request, and returns its answer, which must have this status."""
    answer = route.sync_detailed(*parts, client=by, **more)
    assert answer.status_code == status, (route.__name__, answer.status_code, answer.content)
    return answer.parsed


def add(signature, text, **more):
    return send(add_lesson, status=201, body=LessonProposal(signature=signature, lesson_text=text, project=PROJECT, **more))


def tell(by, *events):
    events = [TraceEvent.from_dict(it) for it in events]
    return send(observe_run, by=by, body=ObserveBody(session="graft", project=PROJECT, events=events)).nudges


def lessons():
    added = add("prune --all", "Run prune with --dry first.", tags=["garden"])
    assert added.outcome == "recorded" and added.lesson.status == "active" and added.lesson.tags == ["garden"]
    known = add("prune --all", "Run prune with --dry first.")
    assert known.outcome == "known" and known.lesson.id == added.lesson.id
    number = added.lesson.id
    assert [it.id for it in send(list_lessons, project=PROJECT).lessons] == [number]
    assert [it.id for it in send(list_lessons, project=PROJECT, q="prune").lessons] == [number]
    assert send(list_lessons, project="elsewhere").lessons == []
    revised = send(revise_lesson, number, body=LessonPatch(lesson_text="Run prune --dry before prune --all.")).lesson
    assert revised.lesson_text == "Run prune --dry before prune --all." and revised.signature == "prune --all"
    return number


def recalls(number):
    body = RecallBody(prompt="prune --all broke the hedge", project=PROJECT, run="hedge", client="story")
    recalled = send(recall_lessons, body=body)
    assert [it.lesson.id for it in recalled.lessons] == [number] and "prune --dry" in recalled.preamble and recalled.silent is None
    silent = send(recall_lessons, body=RecallBody(prompt="paint the fence blue", project=PROJECT))
    assert silent.lessons == [] and silent.preamble == "" and silent.silent
    ended = RunEndBody(run="hedge", project=PROJECT, status=RunEndStatus.COMPLETED, score=0.9)
    credited = send(report_run_end, body=ended)
    assert credited.counted and [it.id for it in credited.lessons] == [number]
    assert send(report_run_end, body=ended).counted is False
    (row,) = send(list_recalls, project=PROJECT, run="hedge").recalls
    assert row.client == "story" and [it.id for it in row.shown] == [number]
    assert [it.id for it in send(show_recall, row.recall).considered] == [number]
    judged = send(judge_lesson, number, body=FeedbackBody(verdict=FeedbackVerdict.FOLLOWED, project=PROJECT))
    assert judged.id == number and judged.counted
    effects = send(list_effects, project=PROJECT)
    assert number in [it.id for it in effects.lessons]
    (effect,) = send(show_effect, number).lessons
    assert effect.shown >= 1 and effect.status == "active"


def runs(agent):
    failed = {"type": "tool", "tool": "bash", "args": "npm test", "status": "error", "error": 'npm error Missing script: "test"'}
    worked = {"type": "tool", "tool": "bash", "args": "npm run test:unit", "status": "ok"}
    assert tell(agent, {"type": "run", "run": "graft", "task": "run the tests"}, failed) == []
    (loop,) = tell(agent, failed)
    assert isinstance(loop, LoopNudge) and loop.calls == ["bash npm test"]
    (learned,) = tell(agent, worked, {"type": "end", "status": "completed"})
    assert isinstance(learned, LearnedNudge)
    lesson = send(show_lesson, learned.ids[0]).lesson
    assert "npm run test:unit" in lesson.lesson_text and lesson.trust == "derived"
    transcript = b"\n".join([
        b'{"type":"run","run":"weed","task":"weed the bed"}',
        b'{"type":"tool","tool":"bash","args":"weed bed","status":"error","error":"weed: no such tool: hoe"}',
        b'{"type":"tool","tool":"bash","args":"weed --by-hand bed","status":"ok"}',
        b'{"type":"end","status":"completed"}'])
    sent = send(learn_from_transcript, project=PROJECT, name="weed", body=File(payload=io.BytesIO(transcript)))
    assert sent.runs == 1 and sent.broken_lines == 0
    (writ,) = send(run_writs, body=WritBody(text="/lesson mow: Mow before noon.", project=PROJECT)).writs
    assert writ.ok and writ.id


def reviews(curator):
    hidden = "\u202e"
    waiting = [add(f"dig {n}", f"Dig hole {n} first.{hidden}") for n in range(3)]
    assert all(it.outcome == "waiting" and it.lesson.status == "pending" and it.lesson.why for it in waiting)
    one, two, three = [it.lesson.id for it in waiting]
    assert {one, two, three} <= {it.lesson.id for it in send(list_reviews, by=curator, project=PROJECT).reviews}
    assert send(show_review, one, by=curator).review.lesson.id == one
    assert send(approve_lesson, one, by=curator, body=ApprovalBody(why="it was seen")).lesson.status == "active"
    edited = send(edit_lesson, two, by=curator, body=LessonPatch(lesson_text="Dig hole two last.")).lesson
    assert edited.status == "active" and edited.lesson_text == "Dig hole two last."
    assert send(reject_lesson, three, by=curator, body=RejectionBody(why="it is wrong")).lesson.status != "active"
    gone = send(approve_lesson, 999_999, by=curator, status=404, body=ApprovalBody())
    assert isinstance(gone, ProblemDto) and gone.status == 404 and gone.error


def journal(number):
    verified = send(verify_journal)
    assert verified.sound and verified.troubles == [] and verified.entries > 5
    entries = send(list_entries).entries
    assert entries[0].sequence == 1 and entries[1].previous == entries[0].hash_ and entries[0].lesson == number
    history = send(show_history, number)
    assert [it.kind for it in history.changes][:1] == ["add"] and history.lineage[-1].id == number


def keys():
    made = send(add_key, status=201, body=NewKeyBody(role=NewKeyBodyRole.AGENT, name="a digger", projects=[PROJECT], expires_in_seconds=3600))
    assert made.role == "agent" and made.projects == [PROJECT] and made.key.startswith("hwk_")
    old = client(made.key)
    assert send(list_lessons, by=old, project=PROJECT).lessons
    assert send(list_lessons, by=old, status=403, project="elsewhere").status == 403
    new = client(send(rotate_key, made.id, body=RotationBody()).key)
    assert send(list_lessons, by=old, status=401, project=PROJECT).status == 401
    assert send(list_lessons, by=new, project=PROJECT).lessons
    assert send(revoke_key, made.id).revoked == [made.id]
    send(list_lessons, by=new, status=401, project=PROJECT)
    listed = {it.id: it for it in send(list_keys).keys}
    assert listed[made.id].revoked


def tenants():
    assert send(add_tenant, by=OPERATOR, status=201, body=NewTenantBody(tenant="acme")).tenant == "acme"
    assert send(add_tenant, by=OPERATOR, status=409, body=NewTenantBody(tenant="acme")).status == 409
    assert "acme" in [it.tenant for it in send(list_tenants, by=OPERATOR).tenants]
    receipt = send(erase_tenant, "acme", by=OPERATOR)
    assert receipt.tenant == "acme" and receipt.lessons == 0
    assert send(verify_log, by=OPERATOR).sound
    assert "tenant-removed" in [it.action for it in send(list_audit, by=OPERATOR).entries]


def key_of(role):
    return client(send(add_key, status=201, body=NewKeyBody(role=role)).key)


def main():
    send(list_lessons, by=client("hwk_wrong"), status=401)
    number = lessons()
    recalls(number)
    runs(key_of(NewKeyBodyRole.AGENT))
    reviews(key_of(NewKeyBodyRole.CURATOR))
    journal(number)
    keys()
    tenants()
    assert send(delete_lesson, number).deleted
    assert send(show_lesson, number, status=404).status == 404
    print("ok: the story in Python")


main()
