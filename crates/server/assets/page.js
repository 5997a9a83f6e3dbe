// Keys, search as one types, and relative times. The page works without this file.
const typing = (element) => element.closest("input, textarea, select");
const list = () => [...document.querySelectorAll("article.card[tabindex], [data-row]")];
const target = (item) => (item.matches("[data-row]") ? item.querySelector("a") : item);
const focused = () => list().find((item) => item.matches(":focus-within")) ?? document.querySelector("[data-only]");

function move(step) {
  const items = list();
  const at = items.indexOf(focused());
  const item = at < 0 ? items.at(Math.min(0, step)) : items[at + step];
  if (!item) return;
  target(item).focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
}

function act(key) {
  const item = focused();
  const button = item?.querySelector(`[data-key=${key}]`);
  const reason = key === "r" && item?.querySelector("[name=why]");
  if (reason) reason.focus();
  else button?.click();
  if (key === "e") item?.querySelector("details[open] textarea")?.focus();
  return reason || button;
}

addEventListener("keydown", (event) => {
  const { key } = event;
  if (key === "Escape" && typing(event.target)) {
    const item = focused();
    item ? target(item).focus() : event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (key === "j") move(1);
  else if (key === "k") move(-1);
  else if (key === "/") {
    const search = document.getElementById("search");
    search ? search.focus() : location.assign("/lessons#search");
  } else if (!"are".includes(key) || !act(key)) return;
  event.preventDefault();
});

let wait;
addEventListener("input", ({ target: field }) => {
  if (field.type !== "search") return;
  clearTimeout(wait);
  wait = setTimeout(async () => {
    const asked = new URLSearchParams(new FormData(field.form));
    const address = `${field.form.action}?${asked}`;
    const answer = await (await fetch(address)).text();
    const found = new DOMParser().parseFromString(answer, "text/html").getElementById("found");
    if (!found || field.value !== asked.get("q")) return;
    tell(found);
    for (const box of document.querySelectorAll("#found :checked")) {
      found.querySelector(`tr:has([name=${box.name}])`)?.remove();
      found.querySelector("tbody").prepend(box.closest("tr"));
    }
    document.getElementById("found").replaceWith(found);
    history.replaceState(null, "", address);
  }, 150);
});

const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
function tell(place) {
  for (const time of place.querySelectorAll("time:not(.reason time)")) {
    const seconds = (new Date(time.dateTime) - Date.now()) / 1000;
    if (Math.abs(seconds) > 30 * 86400) continue;
    const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? [];
    time.title = `${time.textContent} UTC`;
    time.textContent = unit ? words.format(Math.round(seconds / size), unit) : "just now";
  }
}
tell(document);
