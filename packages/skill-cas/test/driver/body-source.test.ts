import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createInstallPlanDescriptor,
  createMaterialIdentity,
  type InstallDriverRequest,
  sha256Hex,
} from "@mesh/install-engine";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fileBodySource, memoryBodySource, type SkillBodySource } from "../../src/driver/body-source.ts";
import { MATERIAL_BYTES_MAX } from "../../src/layout.ts";
import { failureOf } from "../failure.ts";
import { type Bench, BODY, openBench } from "./bench.ts";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "skill-cas-body-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** What a source gives the driver. The request is what the engine would pass; these two sources do not look at it. */
async function load(source: SkillBodySource): Promise<Uint8Array> {
  const bench: Bench = await openBench();
  const { action } = bench.granted;
  return await source.load(bench.request(bench.factory()), action.payload.resultMaterial);
}

/** A file of a certain size, without the bytes being written. */
function sparseFile(path: string, bytes: number): void {
  const file = openSync(path, "w");
  ftruncateSync(file, bytes);
  closeSync(file);
}

describe("a body in memory", () => {
  it("is what it was when the source was made", async () => {
    const bytes = new TextEncoder().encode(BODY);
    const source = memoryBodySource(bytes);
    bytes.fill(0);
    expect(Buffer.from(await load(source)).toString()).toBe(BODY);
    expect(Buffer.from(await load(memoryBodySource(BODY))).toString()).toBe(BODY);
  });
});

describe("a body in a file", () => {
  it("is read when it is asked for, up to the largest material", async () => {
    const path = join(scratch(), "SKILL.md");
    const source = fileBodySource(path);
    writeFileSync(path, BODY);
    expect(Buffer.from(await load(source)).toString()).toBe(BODY);
    writeFileSync(path, Buffer.alloc(MATERIAL_BYTES_MAX, "x"));
    expect((await load(source)).length).toBe(MATERIAL_BYTES_MAX);
  });

  it("that is one byte too large is refused unread", async () => {
    const path = join(scratch(), "SKILL.md");
    sparseFile(path, MATERIAL_BYTES_MAX + 1);
    expect(await failureOf(() => load(fileBodySource(path)))).toMatchObject({
      code: "BODY_REJECTED",
      facts: { path, found: `${MATERIAL_BYTES_MAX + 1} bytes` },
    });
  });

  it("that grows while it is read is read no further than the largest material", async () => {
    const path = join(scratch(), "SKILL.md");
    writeFileSync(path, Buffer.alloc(MATERIAL_BYTES_MAX, "x"));
    const file = await open(path);
    // Every opening of a file of Node's shares this: the first look at the size is answered before the file grows.
    const handle = Object.getPrototypeOf(file) as { stat: (...args: unknown[]) => Promise<unknown> };
    await file.close();
    const stat = vi.spyOn(handle, "stat");
    stat.mockImplementationOnce(async function (this: unknown, ...args: unknown[]) {
      stat.mockRestore();
      const seen = await handle.stat.apply(this, args);
      appendFileSync(path, "!");
      return seen;
    });
    expect(await failureOf(() => load(fileBodySource(path)))).toMatchObject({
      code: "BODY_REJECTED",
      facts: { found: `more than ${MATERIAL_BYTES_MAX} bytes` },
    });
  });

  it.each([
    [
      "a symbolic link",
      "ELOOP",
      (path: string) => {
        writeFileSync(`${path}-target`, BODY);
        symlinkSync(`${path}-target`, path);
      },
    ],
    ["nothing", "ENOENT", () => undefined],
  ] as const)("at whose name there is %s is refused with %s", async (_what, code, place) => {
    const path = join(scratch(), "SKILL.md");
    place(path);
    await expect(load(fileBodySource(path))).rejects.toMatchObject({ code });
  });

  it.each([
    [
      "a FIFO without a writer",
      (path: string) => {
        execFileSync("mkfifo", [path]);
      },
    ],
    [
      "a directory",
      (path: string) => {
        mkdirSync(path);
      },
    ],
  ] as const)("at whose name there is %s is refused at once", async (_what, place) => {
    const path = join(scratch(), "SKILL.md");
    place(path);
    expect(await failureOf(() => load(fileBodySource(path)))).toMatchObject({
      code: "BODY_REJECTED",
      facts: { found: "no regular file" },
    });
  });
});

describe("a body that is not the material", () => {
  it.each([
    ["no bytes", ""],
    ["one byte less", BODY.slice(0, -1)],
    ["one byte more", `${BODY}!`],
    ["another byte", `${BODY.slice(0, -2)}!\n`],
    ["a NUL", `${BODY.slice(0, -2)}\0\n`],
    ["a byte that is not UTF-8", Buffer.from(BODY).fill(0xff, 10, 11)],
  ] as const)("but %s is refused, and nothing is written", async (_what, body) => {
    const bench = await openBench();
    const path = join(scratch(), "SKILL.md");
    writeFileSync(path, body);
    for (const source of [fileBodySource(path), memoryBodySource(body)]) {
      const factory = bench.factory(undefined, source);
      await using driver = await factory.connect(bench.request(factory));
      expect(await failureOf(() => driver.applyOnce())).toMatchObject({ code: "BODY_REJECTED" });
      expect(bench.names()).toEqual([]);
    }
  });
});

/** The request for a material of these bytes, although they are no text: the engine would not plan it. */
function requestFor(request: InstallDriverRequest, body: Uint8Array): InstallDriverRequest {
  const { action, descriptor } = request;
  const { capabilityId, kind, installerId, planDigest, provenanceDigest } = descriptor;
  const material = createMaterialIdentity({
    capabilityId,
    kind: "skill",
    contentSha256: sha256Hex(body),
    contentBytes: body.length,
  });
  const fields = { capabilityId, kind, installerId, planDigest, provenanceDigest };
  return {
    ...request,
    action: { ...action, payload: { ...action.payload, resultMaterial: material } },
    descriptor: createInstallPlanDescriptor({ ...fields, resultMaterialIdentityDigest: material.identityDigest }),
  };
}

describe("a body that is the material but is no text", () => {
  it.each([
    ["a NUL", Buffer.from("# a\0skill\n"), "a NUL at byte 3"],
    ["a byte that is not UTF-8", Buffer.from([0x23, 0x20, 0xff, 0x0a]), "bytes that are not UTF-8"],
    ["half a surrogate pair", Buffer.from([0xed, 0xa0, 0x80]), "bytes that are not UTF-8"],
  ] as const)("because of %s is refused, and nothing is written", async (_what, body, found) => {
    const bench = await openBench();
    const factory = bench.factory(undefined, memoryBodySource(body));
    await using driver = await factory.connect(requestFor(bench.request(factory), body));
    expect(await failureOf(() => driver.applyOnce())).toMatchObject({ code: "BODY_REJECTED", facts: { found } });
    expect(bench.names()).toEqual([]);
  });
});
