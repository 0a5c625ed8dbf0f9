import { HostError } from "../error.ts";

/** The error of a demo step that ran and did not give what it must give. */
export function demoFailure(what: string, found: string, expected: string): HostError {
  return new HostError({
    code: "DEMO_STEP_FAILED",
    message: `the demo's ${what} gave ${found}; expected ${expected}`,
    found,
    expected,
  });
}
