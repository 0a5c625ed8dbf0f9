import type { SkillFields } from "./fields.ts";
import { BODY_LINES_GUIDE, BODY_TOKENS_GUIDE, LISTING_CHARACTERS_GUIDE } from "./limits.ts";

/** Something that some reader of skills does not like. The skill is valid all the same. */
export interface SkillWarning {
  readonly code: "name-reserved" | "description-has-tags" | "description-cut-in-listing" | "body-long";
  /** Whose rule it is. */
  readonly vendor: string;
  readonly message: string;
}

/** Characters a token has on average in English text; good enough for guidance. */
const CHARACTERS_PER_TOKEN = 4;

/** The limits of vendors that the specification does not have (feature-anchors B.6, D-93). */
export function warningsOf(fields: SkillFields, body: string): readonly SkillWarning[] {
  const { name, description } = fields;
  const warnings: SkillWarning[] = [];
  for (const word of ["anthropic", "claude"]) {
    if (name.includes(word)) {
      warnings.push({
        code: "name-reserved",
        vendor: "Claude API",
        message: `the name holds the reserved word ${word}`,
      });
    }
  }
  if (/<[a-z/][^>]*>/i.test(description)) {
    warnings.push({
      code: "description-has-tags",
      vendor: "Claude API",
      message: "the description holds something like an XML tag, which uploads refuse",
    });
  }
  if (description.length > LISTING_CHARACTERS_GUIDE) {
    const message = `the description has ${description.length} characters; listings show ${LISTING_CHARACTERS_GUIDE}`;
    warnings.push({ code: "description-cut-in-listing", vendor: "Claude Code", message });
  }
  const lines = body.split("\n").length;
  const tokens = Math.ceil(body.length / CHARACTERS_PER_TOKEN);
  if (lines > BODY_LINES_GUIDE || tokens > BODY_TOKENS_GUIDE) {
    const message = `the body has ${lines} lines and about ${tokens} tokens; guidance is ${BODY_LINES_GUIDE} and ${BODY_TOKENS_GUIDE}`;
    warnings.push({ code: "body-long", vendor: "Agent Skills specification", message });
  }
  return warnings;
}
