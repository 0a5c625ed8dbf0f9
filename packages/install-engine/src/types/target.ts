import { z } from "zod";
import type { InstallTarget } from "../driver.ts";
import { checkCanonicalText } from "../parse.ts";
import { trimmedTextSchema } from "./identifiers.ts";

const decimal = z.string().regex(/^(?:0|[1-9]\d*)$/, "expected a decimal integer");

const targetSchema = z
  .strictObject({ id: trimmedTextSchema, path: trimmedTextSchema, device: decimal, inode: decimal })
  .readonly();

/**
 * Parses the facts of a target that a claim keeps beside itself.
 *
 * @throws InstallEngineError NOT_CANONICAL, INVALID_VALUE
 */
export function parseInstallTarget(text: string): InstallTarget {
  return checkCanonicalText(targetSchema, text, "utf8", "install target");
}
