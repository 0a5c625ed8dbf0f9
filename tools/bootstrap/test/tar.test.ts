import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTar } from "../tar.mjs";
import { paxRecord, tarOf, type Entry } from "./archive.ts";

describe("readTar gives back what was packed", () => {
  test("files lose the top folder and keep content and the executable bit", () => {
    const archive = tarOf([
      { name: "package/", type: "5" },
      { name: "package/bin/node", content: "#!", mode: 0o755 },
      { name: "package/README.md", content: "text", mode: 0o600 },
    ]);
    expect(readTar(archive)).toEqual([
      { path: "bin/node", executable: true, content: Buffer.from("#!") },
      { path: "README.md", executable: false, content: Buffer.from("text") },
    ]);
  });

  test("any content of any length", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 2000 }), { maxLength: 5 }), (contents) => {
        const entries = contents.map((content, index) => ({ name: `package/f${index}`, content }));
        expect(readTar(tarOf(entries)).map((file) => file.content.toString())).toEqual(contents);
      }),
    );
  });

  test("a long name from a pax record or a GNU header replaces the name of the next entry only", () => {
    const long = `package/${"a".repeat(180)}/file`;
    for (const extension of [
      { name: "PaxHeader", type: "x", content: paxRecord("path", long) },
      { name: "././@LongLink", type: "L", content: `${long}\0` },
    ]) {
      const archive = tarOf([extension, { name: "package/short" }, { name: "package/next" }]);
      expect(readTar(archive).map((file) => file.path)).toEqual([`${"a".repeat(180)}/file`, "next"]);
    }
  });
});

describe("readTar refuses an archive that is not a plain package", () => {
  const cases: [string, Entry][] = [
    ["a name that climbs out", { name: "package/../../etc/passwd" }],
    ["an absolute name", { name: "/etc/passwd" }],
    ["a name with an empty part", { name: "package//file" }],
    ["a name with a back slash", { name: "package/..\\file" }],
    ["a name with a drive", { name: "package/C:file" }],
    ["a name outside the top folder", { name: "file" }],
    ["a symbolic link", { name: "package/link", type: "2" }],
    ["a hard link", { name: "package/link", type: "1" }],
    ["a device", { name: "package/device", type: "3" }],
    ["a pax name that climbs out", { name: "x", type: "x", content: paxRecord("path", "package/../out") }],
    ["a pax record that changes a size", { name: "x", type: "x", content: paxRecord("size", "9") }],
    ["a pax record of a wrong length", { name: "x", type: "x", content: "99 path=a\n" }],
    ["a size beyond the end", { name: "package/file", content: "a", claimedSize: 5000 }],
    ["a damaged header", { name: "package/file", damaged: true }],
  ];

  test.each(cases)("%s", (_, entry) => {
    expect(() => readTar(tarOf([entry, { name: "package/next" }]))).toThrow(/^refused to unpack/);
  });

  test("an archive without its end mark, or cut anywhere", () => {
    const whole = tarOf([
      { name: "package/a", content: "a" },
      { name: "package/b", content: "b".repeat(700) },
    ]);
    const withoutEnd = whole.length - 1024;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: withoutEnd }), (length) => {
        expect(() => readTar(whole.subarray(0, length))).toThrow(/^refused to unpack/);
      }),
    );
  });
});
