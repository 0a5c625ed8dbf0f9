import type { TestContext } from "vitest";

/** Skips the test, with the reason, where it is not root who runs it. */
export function needRoot(context: TestContext): void {
  if (process.geteuid?.() !== 0) context.skip("blocked: root (another user owns this process)");
}
