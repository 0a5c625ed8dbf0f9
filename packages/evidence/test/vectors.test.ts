import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseEvidence } from "../src/read.ts";

const VECTORS = new URL("../vectors/", import.meta.url);

interface Index {
  readonly valid: Readonly<Record<string, object>>;
  readonly invalid: Readonly<Record<string, string>>;
}

// The index is ours and every test below compares against it, so its shape needs no check of its own.
const index = JSON.parse(readFileSync(new URL("index.json", VECTORS), "utf8")) as Index;

function bytesOf(kind: "valid" | "invalid", name: string): Buffer {
  return readFileSync(new URL(`${kind}/${name}.evidence`, VECTORS));
}

describe("the normative vectors", () => {
  test.each(Object.entries(index.valid))("%s is what the index says", (name, expected) => {
    expect(parseEvidence(bytesOf("valid", name))).toMatchObject(expected);
  });

  test.each(Object.entries(index.invalid))("%s is unreadable: %s", (name) => {
    expect(parseEvidence(bytesOf("invalid", name)).state).toBe("unreadable");
  });

  test.each(["valid", "invalid"] as const)("every %s file is in the index, and the other way round", (kind) => {
    const files = readdirSync(new URL(`${kind}/`, VECTORS)).map((file) => file.replace(/\.evidence$/, ""));
    expect(files.sort()).toEqual(Object.keys(index[kind]).sort());
  });

  test("every run of the index has all of its facts", () => {
    for (const name of Object.keys(index.valid)) {
      const evidence = parseEvidence(bytesOf("valid", name));
      if (!("facts" in evidence)) continue;
      expect(evidence.facts).toMatchObject({
        id: "0f9d3c1a-7b52-4e0e-9c7e-2f6a1d8b4c35",
        process: 4711,
        command: "mesh demo",
        versions: { node: "v24.21.0", platform: "linux-x64" },
        started: new Date("2026-03-01T10:00:00.000Z"),
      });
    }
  });
});

describe("damage is never a success", () => {
  const whole = bytesOf("valid", "executed");

  test("cut anywhere", () => {
    for (let length = 0; length < whole.length; length += 1) {
      expect(parseEvidence(whole.subarray(0, length)).state).toBe("unreadable");
    }
  });

  test("a line removed, doubled or moved, wherever it is", () => {
    const lines = whole.toString().slice(0, -1).split("\n");
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at] ?? "";
      const removed = lines.toSpliced(at, 1);
      const doubled = lines.toSpliced(at, 0, line);
      const last = [...removed, line];
      for (const changed of [removed, doubled, ...(at === lines.length - 1 ? [] : [last])]) {
        const read = parseEvidence(Buffer.from(`${changed.join("\n")}\n`));
        // Facts that may be there any number of times are no claim about the steps.
        if (read.state === "executed") expect(line).toMatch(/^run-(version|subject): /);
        else expect(read.state).toBe("unreadable");
      }
    }
  });
});
