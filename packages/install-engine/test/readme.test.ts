import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);

test("the example of the README installs, and again, with the built package alone", async () => {
  const readme = await readFile(join(PACKAGE, "README.md"), "utf8");
  const [, example] = /```js\n([^]*?)```/.exec(readme) ?? [];
  if (example === undefined) throw new Error("the README has no example");
  const code = example.split("\n").filter((line) => line !== "" && !line.startsWith("import "));
  expect(code).toHaveLength(15);

  const directory = await mkdtemp(join(await realpath(tmpdir()), "readme-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, "node_modules", "@mesh"), { recursive: true });
  await symlink(PACKAGE, join(directory, "node_modules", "@mesh", "install-engine"));
  await writeFile(join(directory, "example.mjs"), example);

  for (let round = 1; round <= 2; round += 1) {
    const { stdout } = await run(process.execPath, ["example.mjs"], { cwd: directory });
    expect(stdout).toContain("outcome: 'applied'");
    expect(stdout).toContain("settled: true");
    expect(await readFile(join(directory, "hello.txt"), "utf8")).toBe("Say hello.\n");
  }
});
