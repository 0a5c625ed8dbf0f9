import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { writeSampleModel } from "@mesh/llama-runtime/sample-model";
import { describe, expect, it } from "vitest";
import { inFolder, mesh } from "../mesh-command.ts";
import { expectWorkingHost } from "../skill-folder.ts";

describe("a model that cannot be opened", () => {
  it("is one error with its code and reason when it is garbage, and the handled failure was observed", () =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      const garbage = join(folder, "garbage.gguf");
      await writeFile(garbage, "this is not a model\0\u0001\u0002\u0003");
      const run = await mesh(["model", "open", garbage, "--state", state]);
      expect(run.status).toBe(1);
      expect(run.error).toMatchObject({ code: "MODEL_OPEN_FAILED" });
      expect(run.error?.["message"]).toContain(garbage);
      expect(run.error?.["message"]).toMatch(/magic|GGUF/);
      expect(run.steps.find(({ step }) => step === "model.open.observation")).toMatchObject({
        kinds: [
          { kind: "model-open-started", count: 1 },
          { kind: "model-open-failed-handled", count: 1 },
        ],
        dropped: 0,
        rejected: 0,
        contradictions: [],
      });
      await expectWorkingHost(folder, state);
    }));

  it("is one error that names the part when a part of a split model is missing", () =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      const model = await writeSampleModel({ path: join(folder, "split.gguf"), preset: "tiny", splits: 3 });
      const whole = await mesh(["model", "open", ...model.paths, "--state", state]);
      expect(whole.status).toBe(0);
      const second = model.paths[1] ?? "";
      await rm(second);
      const run = await mesh(["model", "open", ...model.paths, "--state", state]);
      expect(run.status).toBe(1);
      expect(run.error).toMatchObject({ code: "MODEL_OPEN_FAILED" });
      expect(run.error?.["message"]).toContain("split-00002-of-00003.gguf");
      await expectWorkingHost(folder, state);
    }));
});
