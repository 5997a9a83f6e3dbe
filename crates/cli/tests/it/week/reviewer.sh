# Stands in for a coding agent that reviews: reads what it is given, edits, and answers with a verdict and the nonce from there.
given=$(cat)
nonce=$(printf '%s\n' "$given" | sed -n 's/.*"nonce": "\(.*\)",.*/\1/p')
case $given in
*'DROP TABLE'*)
  sed "s/NONCE/$nonce/" <<'VERDICT'
{"verdict": "blocked",
 "nonce": "NONCE",
 "blockers": [{"what": "Dropping the table of the orders before they are copied", "anchors": ["move.sql:1"]}]}
VERDICT
  ;;
*)
  sed 's|price - percent|price * (100 - percent) / 100|' src/cart.js > cart.new && mv cart.new src/cart.js
  sed "s/NONCE/$nonce/" <<'VERDICT'
{"verdict": "fixed",
 "nonce": "NONCE",
 "fixes": [{"what": "Take a discount as a share of the price", "why": "10 percent were taken as 10 euros",
            "anchors": ["src/cart.js:2"]}],
 "residual_risks": [{"what": "A discount of more than 100 percent is not refused", "anchors": ["src/cart.js:1-2"]}]}
VERDICT
  ;;
esac
