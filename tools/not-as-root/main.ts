import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "../test/workspace.ts";

/** The user that owns nothing: root passes every permission check, so what others get is only seen as somebody else. */
const NOBODY = 65_534;

/** Runs a program to its end with the terminal as it is; anything but success is an error. */
function run(program: string, args: readonly string[], env = process.env, cwd = ROOT): void {
  const ended = spawnSync(program, args, { stdio: "inherit", env, cwd });
  if (ended.status === 0) return;
  throw new Error(`${program} ended with ${ended.error?.message ?? ended.signal ?? ended.status ?? "nothing"}`);
}

/** A copy of the built repository that belongs to nobody: the original may lie where only root can read. */
function copyForNobody(copy: string): void {
  const entries = readdirSync(ROOT).filter((name) => name !== ".git");
  run("cp", ["--archive", "--reflink=auto", ...entries, copy]);
  mkdirSync(path.join(copy, "home"));
  run("chown", ["--recursive", `${NOBODY}:${NOBODY}`, copy]);
  chownSync(copy, NOBODY, NOBODY);
  chmodSync(copy, 0o755);
}

function main(packages: readonly string[]): void {
  if (process.getuid?.() !== 0) {
    process.stdout.write(`blocked: only root can become uid ${NOBODY}\n0 passed, 0 failed, 1 skipped\n`);
    return;
  }
  const copy = mkdtempSync(path.join(tmpdir(), "mesh-not-as-root-"));
  try {
    copyForNobody(copy);
    const moved = (text: string): string => text.replaceAll(ROOT, copy);
    const env = Object.fromEntries(
      Object.entries(process.env).map(([name, value]) => [name, value === undefined ? value : moved(value)]),
    );
    const identity = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
    const suites = [moved(process.execPath), path.join(copy, "tools/not-as-root/suites.ts"), ...packages];
    run("setpriv", [...identity, ...suites], { ...env, HOME: path.join(copy, "home"), MESH_NOT_AS_ROOT: "1" }, copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

main(process.argv.slice(2));
