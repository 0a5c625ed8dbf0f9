import { isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, visit, type YAMLMap } from "yaml";
import { type Position, skillInvalid } from "./position.ts";
import type { SplitSkill } from "./frontmatter.ts";

/** One value of the frontmatter and where it and its key stand in the file. */
export interface Located<T> {
  readonly value: T;
  readonly at: Position;
  readonly key: Position;
}

/** Fields of the frontmatter, in the order of the file: a scalar, or a map of scalars. */
export type Fields = ReadonlyMap<string, Located<unknown> | Located<ReadonlyMap<string, Located<unknown>>>>;

/**
 * Reads the frontmatter as YAML 1.2 in its core schema: a map of scalars and of maps of scalars, and nothing cleverer. No
 * anchors, aliases, merge keys or tags: no reader of skills needs them, and they are how small files become large ones.
 *
 * @throws SkillCasError SKILL_INVALID at the first thing that is not so
 */
export function readFrontmatter(split: SplitSkill): Fields {
  const lines = new LineCounter();
  const locate = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    // An empty frontmatter has no line to count from.
    return { line: Math.max(line, 1) + split.frontmatterLine - 1, column: Math.max(col, 1) };
  };
  const document = parse(split, lines);
  const [problem] = [...document.errors, ...document.warnings].sort((left, right) => left.pos[0] - right.pos[0]);
  if (problem !== undefined) {
    throw skillInvalid(locate(problem.pos[0]), "YAML", `${problem.code}: ${problem.message}`, "YAML 1.2, core schema");
  }
  const root = document.contents;
  if (!isMap(root)) {
    const at = locate(root?.range?.[0] ?? 0);
    throw skillInvalid(at, "frontmatter", root === null ? "nothing" : "no map", "a map with name and description");
  }
  refuseCleverness(root, locate);
  return readMap(root, locate, (node, at) =>
    isMap(node)
      ? {
          at: locate(node.range?.[0] ?? 0),
          key: at,
          value: readMap(node, locate, (inner, key) => readScalar(inner, key, locate)),
        }
      : readScalar(node, at, locate),
  );
}

function parse(split: SplitSkill, lineCounter: LineCounter): ReturnType<typeof parseDocument> {
  try {
    return parseDocument(split.frontmatter, {
      version: "1.2",
      schema: "core",
      merge: false,
      uniqueKeys: true,
      strict: true,
      prettyErrors: false,
      lineCounter,
    });
  } catch (error) {
    if (error instanceof RangeError) {
      // The parser descends once a level; thousands of brackets use up its stack.
      const at = { line: split.frontmatterLine, column: 1 };
      throw skillInvalid(at, "YAML", "values nested too deeply to be read", "single values and maps of them");
    }
    throw error;
  }
}

function readScalar(node: unknown, key: Position, locate: (offset: number) => Position): Located<unknown> {
  if (node === null) {
    return { value: null, at: key, key };
  }
  if (!isScalar(node)) {
    const found = isMap(node) ? "a map" : "a sequence";
    throw skillInvalid(isNode(node) ? locate(node.range?.[0] ?? 0) : key, "frontmatter", found, "a single value");
  }
  return { value: node.value, at: locate(node.range?.[0] ?? 0), key };
}

function refuseCleverness(root: YAMLMap, locate: (offset: number) => Position): void {
  visit(root, {
    Node: (_key, node) => {
      const at = locate(node.range?.[0] ?? 0);
      if (isAlias(node)) {
        throw skillInvalid(at, "YAML", `the alias *${node.source}`, "the value itself");
      }
      if (node.anchor !== undefined) {
        throw skillInvalid(at, "YAML", `the anchor &${node.anchor}`, "no anchors");
      }
      if (node.tag !== undefined) {
        throw skillInvalid(at, "YAML", `the tag ${node.tag}`, "no tags");
      }
    },
  });
}

function readMap<T>(
  map: YAMLMap,
  locate: (offset: number) => Position,
  read: (value: unknown, key: Position) => T,
): ReadonlyMap<string, T> {
  const fields = new Map<string, T>();
  for (const { key, value } of map.items) {
    const at = isNode(key) ? locate(key.range?.[0] ?? 0) : locate(map.range?.[0] ?? 0);
    if (!isScalar(key) || typeof key.value !== "string") {
      throw skillInvalid(at, "frontmatter", "a key that is no text", "a text as key");
    }
    fields.set(key.value, read(value, at));
  }
  return fields;
}
