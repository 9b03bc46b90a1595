// Fails if the generated types contain `any`, which would turn the checks of the compiler off.
import { readFile } from 'node:fs/promises';
import ts from 'typescript';

const file = 'build/schema.d.ts';
const source = ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.Latest);
const lines = [];

function visit(node) {
  if (node.kind === ts.SyntaxKind.AnyKeyword) {
    lines.push(source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1);
  }
  ts.forEachChild(node, visit);
}

visit(source);
if (lines.length > 0) {
  console.error(`${file} contains any in the lines ${lines.join(', ')}`);
  process.exit(1);
}
