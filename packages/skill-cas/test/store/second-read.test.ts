import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sha256Hex } from "../../src/layout.ts";
import { StoreSession } from "../../src/store/session.ts";
import { failureOf } from "../failure.ts";

const BODY = new TextEncoder().encode("# a skill\n");
const DIGEST = sha256Hex(BODY);

describe("a read", () => {
  it("reads twice, and refuses an object that was replaced in between, even by the right bytes", async () => {
    const base = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-second-read-"));
    const path = join(base, "skills", DIGEST);
    let armed = false;
    const session = StoreSession.open({
      root: join(base, "skills"),
      create: true,
      onEffect: ({ effect }) => {
        if (!armed || effect.kind !== "close") return;
        armed = false;
        writeFileSync(`${path}-new`, BODY, { mode: 0o600 });
        renameSync(`${path}-new`, path);
      },
    });
    onTestFinished(() => {
      session.close();
      rmSync(base, { recursive: true, force: true });
    });
    session.executeBlocking({ kind: "put", bytes: BODY });
    armed = true;
    expect(await failureOf(() => session.executeBlocking({ kind: "read", digest: DIGEST }))).toMatchObject({
      code: "OBJECT_CONFLICT",
      facts: { reason: "changed-while-read", name: DIGEST },
    });
    expect(armed).toBe(false);
    expect(Buffer.from(session.executeBlocking({ kind: "read", digest: DIGEST })).equals(BODY)).toBe(true);
  });
});
