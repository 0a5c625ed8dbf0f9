import { decodeSkill } from "./decode.ts";
import { checkFields, type SkillFields } from "./fields.ts";
import { splitSkill } from "./frontmatter.ts";
import { type SkillWarning, warningsOf } from "./warnings.ts";
import { readFrontmatter } from "./yaml.ts";

/** A parsed SKILL.md. */
export interface Skill extends SkillFields {
  /** Everything after the frontmatter, line breaks as they came. */
  readonly body: string;
  /** Line of the file on which the body begins. */
  readonly bodyLine: number;
  readonly warnings: readonly SkillWarning[];
}

/** What is known of the skill besides its file. */
export interface ParseSkillOptions {
  /** Name of the folder that the file lies in; the skill must have the same name. */
  readonly folder?: string;
}

/**
 * Parses a SKILL.md after the Agent Skills specification, in the strict profile: what this accepts, every known reader
 * accepts and understands in the same way. The file is either right, or there is one error.
 *
 * @throws SkillCasError SKILL_INVALID with `line` and `column` (from 1, in code points), `rule`, `found` and `expected`
 */
export function parseSkill(bytes: Uint8Array, options: ParseSkillOptions = {}): Skill {
  const split = splitSkill(decodeSkill(bytes));
  const fields = checkFields(readFrontmatter(split), options.folder);
  return { ...fields, body: split.body, bodyLine: split.bodyLine, warnings: warningsOf(fields, split.body) };
}
