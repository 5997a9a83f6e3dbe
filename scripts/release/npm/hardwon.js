#!/usr/bin/env node
// Starts the program of this platform's package, with these arguments, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");

const platform = `${process.platform}-${process.arch}`;
const suffix = process.platform === "win32" ? ".exe" : "";

function findProgram() {
  try {
    return require.resolve(`@hardwon/${platform}/bin/hardwon${suffix}`);
  } catch {
    const wanted = Object.keys(require("../package.json").optionalDependencies);
    const why = wanted.includes(`@hardwon/${platform}`)
      ? `the package @hardwon/${platform} is missing: install hardwon again, without leaving out optional dependencies`
      : `there is no program for ${platform}; build it with cargo instead`;
    process.stderr.write(`hardwon: ${why}\n`);
    process.exit(1);
  }
}

function runBeside(program, args) {
  const child = spawn(program, args, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"]) {
    if (!(signal in constants.signals) || (process.platform === "win32" && signal.startsWith("SIGUSR"))) continue;
    // What is typed into a terminal reaches the program without us. (process.stdin is not asked: from then on the program's
    // own reads would not wait.)
    const isTyped = isatty(0) && (signal === "SIGINT" || signal === "SIGQUIT");
    process.on(signal, () => isTyped || child.kill(signal));
  }
  child.on("error", (error) => {
    process.stderr.write(`hardwon: starting ${program}: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // A signal that does not end us: what a shell would report.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
  });
}

const program = findProgram();
const args = process.argv.slice(2);
if (process.execve && process.platform !== "win32") {
  // In place of this process: nothing is left between the program and its terminal.
  process.execve(program, [program, ...args], process.env);
} else {
  runBeside(program, args);
}
