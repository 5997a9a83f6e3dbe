// Passes requests on to a server, with a key: the conformance suite brings none.
// usage: node add_key.mjs URL KEY_FILE   prints the address to use instead
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";

const authorization = `Bearer ${readFileSync(process.argv[3], "utf8").trim()}`;
const url = new URL(process.argv[2]);

const proxy = createServer((asked, answer) => {
  const { method, headers } = asked;
  // Host and origin stay as they are: the suite looks at what the server makes of them.
  const passed = request(url, { method, headers: { ...headers, authorization } }, (reply) => {
    answer.writeHead(reply.statusCode, reply.headers);
    reply.pipe(answer);
  });
  passed.on("error", () => answer.destroy());
  answer.on("close", () => passed.destroy());
  asked.pipe(passed);
});
proxy.listen(0, "127.0.0.1", () => {
  console.log(`http://localhost:${proxy.address().port}${url.pathname}`);
});
