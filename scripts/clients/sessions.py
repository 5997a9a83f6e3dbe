"""The sessions that `prove.py` has each agent play, in order, and what the scripted model does in them.

Every program of `bin` refuses until it is told a desk, and only its own failure tells so. Each of the
sessions about asking has one of its own, so that no lesson of one of them answers another.
"""
from dataclasses import dataclass

RECORDED = "Ask for the port before starting the shop server."
PUSH = """#!/bin/sh
# Hands a parcel over, at a desk.
[ "$1 $2" = "push --desk" ] && { echo "${0##*/}: pushed at desk $3"; exit; }
echo "${0##*/}: push is refused, no desk is open" >&2
exit 3
"""
PROGRAMS = {name: f"bin/{name}" for name in ("berth", "stage", "kiln", "quay")}
LESSON = {name: f"Name a desk to {name}, as in {path} push --desk 4." for name, path in PROGRAMS.items()}
QUESTION, QUESTION_ENDS = "[TURN QUESTION]", "[END TURN QUESTION]"
NOTHING = "Nothing to add."
# So many lessons that a session no longer begins with all of them.
MANY = ["wash brushes in cold water", "label jars before noon", "oil the hinge of the north gate",
        "fold maps along the river", "count spoons after lunch", "wind the clock on Sundays",
        "stack chairs by fours", "water ferns from below", "sharpen pencils over the bin", "dust lamps from the left"]


@dataclass
class Session:
    name: str
    prompt: str
    steps: list
    before: tuple = ()
    # In a terminal, where a person types; else printed.
    typed: bool = False
    # What is answered to the question at its end.
    answer: str = ""


def run(command, say=""):
    return {"say": say, "calls": [{"run": command}]}


def hand_over(name):
    """A turn that meets trouble with a program and gets past it."""
    path = PROGRAMS[name]
    return [run(f"{path} push", "I hand it over."), run(f"{path} push --now"), run(f"{path} push --desk 4"), {"say": done(name)}]


def done(name):
    return f"The parcel of {name} is handed over at desk 4."


def asked_about(name):
    """What a question about a program begins with, whatever it says of the failure."""
    return f"This turn got past trouble: {name}"


def answer(name):
    return f"/lesson {PROGRAMS[name]}: {LESSON[name]}"


BEFORE_INIT = [Session("bare", "Hand the first parcel over.", hand_over("berth"), before=("chmod +x bin/*",))]
SESSIONS = [
    Session("learn", "Run the tests of this shop.", [
        run("npm test", "Running the tests."),
        {"say": "Which scripts are there?", "calls": [{"read": "package.json"}]},
        run("npm run test:unit", "The script has another name."),
        {"say": "The unit tests ran; one of them fails."}]),
    Session("again", "Please run the tests of the shop once more with npm test.", [
        run("npm test", "Running the tests."),
        run("npm test", "Once more."),
        {"say": "Let me look it up.", "calls": [{"lessons": "search", "args": {"query": "npm test missing script"}}]},
        {"say": "I note something.", "calls": [{"lessons": "record", "args": {"signature": "npm start", "text": RECORDED}}]},
        {"say": "Done.\n\n/lesson shop release: tag the release before publishing the shop package\n"}]),
    Session("call", "Do what you did on Monday.", [
        run("npm test", "All right."),
        {"say": "It failed, as on Monday."}], before=tuple(f"hardwon lesson add '{text}' >/dev/null" for text in MANY)),
    Session("print", BEFORE_INIT[0].prompt, BEFORE_INIT[0].steps),
    Session("always", "Hand the second parcel over.", hand_over("stage"), before=("hardwon config set ask always",),
            answer=answer("stage")),
    Session("later", "Hand a fourth parcel over.", [run(f"{PROGRAMS['stage']} push"), {"say": "It is refused."}]),
    Session("nothing", "Hand the third parcel over.", hand_over("kiln"), answer=NOTHING),
    Session("screen", "Hand the last parcel over.", hand_over("quay"), typed=True, answer=answer("quay")),
]
# A question is a prompt like any other, and the answer to it a turn of its own.
ANSWERS = {name: answer(name) for name in PROGRAMS} | {"kiln": NOTHING}
TURNS = [{"prompt": session.prompt, "steps": session.steps} for session in SESSIONS]
TURNS += [{"prompt": asked_about(name), "steps": [{"say": said}]} for name, said in ANSWERS.items()]


def turn_of(prompt):
    """The number by which the log of the scripted model knows a turn."""
    return next(n for n, turn in enumerate(TURNS) if turn["prompt"] == prompt)
