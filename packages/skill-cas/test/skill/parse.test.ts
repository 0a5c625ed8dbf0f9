import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SkillCasError } from "../../src/error.ts";
import { parseSkill, type Skill } from "../../src/skill/parse.ts";

const FRONT = "name: pdf-tools\ndescription: Reads PDF files.\n";

function skillOf(frontmatter: string, body = "Body.\n"): Uint8Array {
  return new TextEncoder().encode(`---\n${frontmatter}---\n${body}`);
}

function parse(frontmatter: string, body?: string): Skill {
  return parseSkill(skillOf(frontmatter, body));
}

/** The error of bytes that are no skill: rule, line and column. */
function refusal(bytes: Uint8Array | string, folder?: string): Record<string, unknown> {
  try {
    parseSkill(
      typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes,
      folder === undefined ? {} : { folder },
    );
  } catch (error) {
    if (error instanceof SkillCasError && error.code === "SKILL_INVALID") {
      return error.facts;
    }
    throw error;
  }
  throw new Error("it was accepted");
}

describe("a skill that follows the profile", () => {
  it("is read with every field", () => {
    const skill = parse(
      `${FRONT}license: Apache-2.0\ncompatibility: needs poppler\nmetadata:\n  author: me\n  version: "1.0"\nallowed-tools: Bash(git:*) Read\n`,
    );
    expect(skill).toMatchObject({
      name: "pdf-tools",
      description: "Reads PDF files.",
      license: "Apache-2.0",
      compatibility: "needs poppler",
      allowedTools: ["Bash(git:*)", "Read"],
      body: "Body.\n",
      bodyLine: 11,
      warnings: [],
    });
    expect([...skill.metadata]).toEqual([
      ["author", "me"],
      ["version", "1.0"],
    ]);
  });

  it("is the same with a byte order mark and with CRLF (D-86)", () => {
    const text = `---\r\nname: x\r\ndescription: y\r\n---\r\nBody.\r\n`;
    expect(parseSkill(new TextEncoder().encode(`\uFEFF${text}`))).toMatchObject({
      name: "x",
      description: "y",
      body: "Body.\r\n",
      bodyLine: 5,
    });
  });

  it("keeps --- within a line, in a block text and in the body", () => {
    expect(parse("name: x\ndescription: |\n  a --- b\n  ---\n", "---\nnot a fence\n---\n")).toMatchObject({
      description: "a --- b\n---\n",
      body: "---\nnot a fence\n---\n",
    });
  });

  it("reads yes, no and dates as the texts they are: core schema", () => {
    expect(parse("name: x\ndescription: yes\nlicense: 2024-01-01\n")).toMatchObject({
      description: "yes",
      license: "2024-01-01",
    });
  });

  it("takes limits exactly and refuses one more", () => {
    expect(parse(`name: ${"a".repeat(64)}\ndescription: ${"d".repeat(1024)}\n`).description).toHaveLength(1024);
    expect(parse(`name: x\ndescription: "${"é".repeat(1024)}"\n`).description).toHaveLength(1024);
    expect(refusal(skillOf(`name: ${"a".repeat(65)}\ndescription: d\n`))).toMatchObject({ rule: "name", line: 2 });
    expect(refusal(skillOf(`name: x\ndescription: ${"d".repeat(1025)}\n`))).toMatchObject({
      rule: "description",
      line: 3,
    });
    expect(refusal(skillOf(`${FRONT}compatibility: ${"c".repeat(501)}\n`))).toMatchObject({ rule: "compatibility" });
  });

  it("warns of what vendors do not like, and accepts it", () => {
    const skill = parse(`name: claude-helper\ndescription: "${"x".repeat(300)} <b>"\n`, "line\n".repeat(501));
    expect(skill.warnings.map(({ code }) => code)).toEqual([
      "name-reserved",
      "description-has-tags",
      "description-cut-in-listing",
      "body-long",
    ]);
  });
});

describe("a skill that does not follow the profile gets one error with line and column", () => {
  const cases: readonly [string, Uint8Array | string, { line: number; column?: number; rule: string }][] = [
    ["nothing", "", { line: 1, column: 1, rule: "size" }],
    ["no frontmatter", "# Title\n", { line: 1, column: 1, rule: "frontmatter" }],
    ["an engine after the fence (D-89)", `---js\n${FRONT}---\n`, { line: 1, column: 1, rule: "frontmatter" }],
    ["a fence that is never closed", `---\n${FRONT}`, { line: 4, column: 1, rule: "frontmatter" }],
    ["an empty frontmatter", "---\n---\nBody\n", { line: 2, column: 1, rule: "frontmatter" }],
    ["a list", "---\n- a\n---\n", { line: 2, column: 1, rule: "frontmatter" }],
    [
      "UTF-16 with a mark",
      Buffer.from(`\uFEFF---\n${FRONT}---\n`, "utf16le"),
      { line: 1, column: 1, rule: "encoding" },
    ],
    ["UTF-16 without a mark", Buffer.from(`---\n${FRONT}---\n`, "utf16le"), { line: 1, column: 1, rule: "encoding" }],
    ["a second byte order mark", `\uFEFF\uFEFF---\n${FRONT}---\n`, { line: 1, column: 1, rule: "frontmatter" }],
    [
      "a byte that is no UTF-8",
      Buffer.concat([Buffer.from("---\nname: \u00e9"), Buffer.from([0xff])]),
      { line: 2, column: 8, rule: "encoding" },
    ],
    [
      "half a character at the end",
      Buffer.concat([skillOf(FRONT), Buffer.from([0xc3])]),
      { line: 6, column: 1, rule: "encoding" },
    ],
    ["a NUL", `---\n${FRONT}---\nBo\0dy\n`, { line: 5, column: 3, rule: "characters" }],
    ["a lone carriage return", "---\nname: x\rdescription: y\n---\n", { line: 2, column: 8, rule: "line breaks" }],
    ["a duplicate key", `---\n${FRONT}name: y\n---\n`, { line: 4, column: 1, rule: "YAML" }],
    ["an anchor", "---\nname: &a x\ndescription: y\n---\n", { line: 2, column: 10, rule: "YAML" }],
    ["an alias", "---\nname: x\ndescription: *a\n---\n", { line: 3, column: 14, rule: "YAML" }],
    ["a tag", "---\nname: !!str x\ndescription: y\n---\n", { line: 2, column: 13, rule: "YAML" }],
    ["a tag nobody knows", "---\nname: !x y\ndescription: y\n---\n", { line: 2, column: 7, rule: "YAML" }],
    [
      "a merge key",
      "---\nname: x\ndescription: y\n<<: {license: z}\n---\n",
      { line: 4, column: 1, rule: "frontmatter" },
    ],
    ["a tab as indentation", "---\nmetadata:\n\ta: b\n---\n", { line: 3, column: 1, rule: "YAML" }],
    ["a second document", "---\nname: x\n...\ndescription: y\n---\n", { line: 4, column: 1, rule: "YAML" }],
    ["a field nobody knows", `---\n${FRONT}version: 1\n---\n`, { line: 4, column: 1, rule: "frontmatter" }],
    ["a key that is no text", `---\n${FRONT}1: x\n---\n`, { line: 4, column: 1, rule: "frontmatter" }],
    ["no name", "---\ndescription: y\n---\n", { line: 2, column: 1, rule: "frontmatter" }],
    ["a number as name", "---\nname: 12\ndescription: y\n---\n", { line: 2, column: 7, rule: "name" }],
    ["nothing as description", "---\nname: x\ndescription:\n---\n", { line: 3, column: 13, rule: "description" }],
    ["a blank description", '---\nname: x\ndescription: "  "\n---\n', { line: 3, column: 14, rule: "description" }],
    [
      "a control character",
      '---\nname: x\ndescription: "a\\u0007"\n---\n',
      { line: 3, column: 14, rule: "description" },
    ],
    [
      "half a surrogate pair",
      '---\nname: x\ndescription: "\\ud800"\n---\n',
      { line: 3, column: 14, rule: "description" },
    ],
    ["metadata of lists", `---\n${FRONT}metadata:\n  a: [1]\n---\n`, { line: 5, column: 6, rule: "frontmatter" }],
    ["metadata of numbers", `---\n${FRONT}metadata:\n  a: 1\n---\n`, { line: 5, column: 6, rule: 'metadata."a"' }],
    ["metadata that is no map", `---\n${FRONT}metadata: x\n---\n`, { line: 4, column: 11, rule: "metadata" }],
    ["thousands of brackets", `---\nname: ${"[".repeat(30_000)}\n---\n`, { line: 2, rule: "YAML" }],
  ];

  it.each(cases)("%s", (_name, bytes, expected) => {
    expect(refusal(bytes)).toMatchObject(expected);
  });

  it.each(["Upper", "a--b", "-a", "a-", "a_b", "a b", "ä", "con", "com1", "a/b", ".."])("the name %s", (name) => {
    expect(refusal(skillOf(`name: "${name}"\ndescription: y\n`))).toMatchObject({ rule: "name", line: 2 });
  });

  it("a name that is not its folder's", () => {
    expect(refusal(skillOf(FRONT), "other")).toMatchObject({
      rule: "name",
      expected: 'the name of its folder, "other"',
    });
    expect(parseSkill(skillOf(FRONT), { folder: "pdf-tools" }).name).toBe("pdf-tools");
  });

  it("a bomb of aliases, at once", () => {
    const lines = ["a0: &a0 lol"];
    for (let level = 1; level < 30; level += 1) {
      lines.push(`a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}]`);
    }
    expect(refusal(skillOf(`${lines.join("\n")}\n`))).toMatchObject({ rule: "YAML", line: 2 });
  });
});

describe("any bytes", () => {
  it("are either a skill or SKILL_INVALID with line and column, never another error", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "---\n",
        "name: x\n",
        "description: y\n",
        "metadata:\n",
        "  a: b\n",
        "- ",
        "&a ",
        "*a",
        "\r",
        "\uFEFF",
      ),
      fc.string({ unit: "binary" }),
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(piece, { maxLength: 12 }).map((pieces) => new TextEncoder().encode(`---\n${pieces.join("")}`)),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        try {
          const skill = parseSkill(input);
          return skill.name.length > 0 && skill.description.length > 0;
        } catch (error) {
          if (!(error instanceof SkillCasError) || error.code !== "SKILL_INVALID") {
            throw error;
          }
          return Number(error.facts["line"]) >= 1 && Number(error.facts["column"]) >= 1;
        }
      }),
      { numRuns: 2000 },
    );
  });
});
