import { FRONTMATTER_LENGTH_MAX } from "./limits.ts";
import { excerpt, positionAt, skillInvalid } from "./position.ts";

/** A SKILL.md in its two parts. */
export interface SplitSkill {
  /** YAML between the fences, line breaks as they came. */
  readonly frontmatter: string;
  /** Everything after the closing fence's line, as it came. */
  readonly body: string;
  /** Line of the file on which the frontmatter's first line is: 2. */
  readonly frontmatterLine: number;
  /** Line of the file on which the body begins. */
  readonly bodyLine: number;
}

const FENCE = "---";

/**
 * Splits at the fences: the first line and the next line that is `---` and nothing else. A `---` anywhere within a line
 * is text, and an opening with a language (`---js`) is refused: nothing here is ever evaluated.
 *
 * @throws SkillCasError SKILL_INVALID
 */
export function splitSkill(text: string): SplitSkill {
  const opening = lineAt(text, 0);
  if (opening.content !== FENCE) {
    throw skillInvalid({ line: 1, column: 1 }, "frontmatter", excerpt(opening.content), `the line ${FENCE}`);
  }
  let line = 2;
  let offset = opening.next;
  while (offset < text.length) {
    const current = lineAt(text, offset);
    if (current.content === FENCE) {
      const frontmatter = text.slice(opening.next, offset);
      refuseLoneReturn(frontmatter);
      return { frontmatter, body: text.slice(current.next), frontmatterLine: 2, bodyLine: line + 1 };
    }
    offset = current.next;
    line += 1;
    if (offset - opening.next > FRONTMATTER_LENGTH_MAX) {
      const expected = `a closing ${FENCE} within ${FRONTMATTER_LENGTH_MAX} characters`;
      throw skillInvalid({ line, column: 1 }, "frontmatter", "none so far", expected);
    }
  }
  const end = positionAt(text, text.length);
  throw skillInvalid(end, "frontmatter", "the end of the file", `the line ${FENCE} that closes the frontmatter`);
}

interface Line {
  readonly content: string;
  /** Offset of the next line. */
  readonly next: number;
}

/** A line ends at LF or CRLF. */
function lineAt(text: string, offset: number): Line {
  const feed = text.indexOf("\n", offset);
  const end = feed < 0 ? text.length : feed;
  const content = text.slice(offset, text[end - 1] === "\r" && end > offset ? end - 1 : end);
  return { content, next: feed < 0 ? text.length : feed + 1 };
}

/** YAML would see a line break where an editor shows none, and the fences would be found in other places. */
function refuseLoneReturn(frontmatter: string): void {
  const offset = /\r(?!\n)/.exec(frontmatter)?.index;
  if (offset !== undefined) {
    const { line, column } = positionAt(frontmatter, offset);
    throw skillInvalid({ line: line + 1, column }, "line breaks", "a carriage return alone", "LF or CRLF");
  }
}
