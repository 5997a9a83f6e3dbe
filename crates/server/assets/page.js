// Keys and relative times. The page works without this file.
const typing = (element) => element.closest("input, textarea, select");
const items = [...document.querySelectorAll("article.card[tabindex], tr[data-row]")];
const target = (item) => (item.matches("tr") ? item.querySelector("a") : item);
const current = () => items.findIndex((item) => item.contains(document.activeElement));

function move(step) {
  const at = current();
  const next = at < 0 ? (step > 0 ? 0 : items.length - 1) : at + step;
  const item = items[Math.max(0, Math.min(items.length - 1, next))];
  if (!item) return;
  target(item).focus({ preventScroll: true });
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  item.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
}

/** Does what a key stands for in the lesson that has the focus. */
function act(key) {
  const item = items[current()];
  if (!item) return false;
  const button = item.querySelector(`[data-key="${key}"]`);
  const reason = key === "r" && item.querySelector('input[name="why"]');
  if (reason) reason.focus();
  else if (button) button.click();
  if (key === "e") item.querySelector("details[open] textarea")?.focus();
  return Boolean(reason || button);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && typing(event.target)) {
    const item = items[current()];
    if (item) target(item).focus();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  let done = true;
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "/") {
    const search = document.querySelector('input[type="search"]');
    search?.focus();
    done = Boolean(search);
  } else done = "are".includes(event.key) && act(event.key);
  if (done) event.preventDefault();
});

const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
for (const time of document.querySelectorAll("time")) {
  const seconds = (new Date(time.dateTime) - Date.now()) / 1000;
  if (Math.abs(seconds) > 30 * 86400) continue;
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  time.title = `${time.textContent} UTC`;
  time.textContent = unit === "second" ? "just now" : words.format(Math.round(seconds / size), unit);
}
document.querySelectorAll(".keys").forEach((it) => (it.hidden = items.length === 0));
