import { SkillCasError } from "../error.ts";

/** A place in a text, as editors count: both from 1, columns in code points. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Length of a text in code points. */
export function codePoints(text: string): number {
  return Array.from(text).length;
}

/** The place of an offset in UTF-16 units. A line ends at LF. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: codePoints(before.slice(lineStart)) + 1 };
}

/** The one error of a SKILL.md that does not follow the profile. */
export function skillInvalid(at: Position, rule: string, found: string, expected: string): SkillCasError {
  return new SkillCasError({
    code: "SKILL_INVALID",
    message: `SKILL.md line ${at.line}, column ${at.column}: ${rule}: found ${found}; expected ${expected}`,
    facts: { line: at.line, column: at.column, rule, found, expected },
  });
}

/** A piece of somebody's text, short and printable enough for a message. */
export function excerpt(text: string): string {
  const [line = ""] = text.split("\n", 1);
  return JSON.stringify(line.length > 40 ? `${line.slice(0, 40)}…` : line);
}
