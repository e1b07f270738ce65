// Writes docs/operations.md from the table of operations: node test/admin/operations-page.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Operation, operations } from '#admin';

const head = `# Operations of the management API

Written by \`node test/admin/operations-page.ts\` from the table by which the service itself works, and held against it by a test. How one calls them is in [management-api.md](management-api.md); every shape is in
\`GET /admin-api/openapi.json\`, and \`/admin/api-explorer\` has each as a form. Paths of another realm have \`/realm/<id>\` in front.

- Members in italics may be left out. Those of \`GET\` and \`DELETE\` stand in the query, the others in the body, JSON; what the path names (\`:user\`) stands there.
- **w**: the token needs the scope \`admin:write\`, and its holder the role *Admin Write*; otherwise \`admin:read\` is enough. **k**: takes an \`Idempotency-Key\`. **m**: takes \`If-Match\`.
- Where a command does the same it is named ([commands.md](commands.md)).
`;

/** @returns the page for these rows, by the first word of their paths */
export function operationsPageOf(rows: readonly Operation[]): string {
  const areaOf = ({ path }: Operation) => path.split('/')[2] ?? '';
  const areas = [...new Set(rows.map(areaOf))].toSorted();
  const sections = areas.map((area) => {
    const lines = rows.filter((row) => areaOf(row) === area).map(lineOf);
    return `\n## ${area}\n\n| Call | | Members | What it does |\n|---|---|---|---|\n${lines.join('')}`;
  });
  return head + sections.join('');
}

function lineOf({ name, method, path, scope, status, editable, input, query = [], takes, summary, command }: Operation): string {
  const marks = [scope === 'admin:write' ? 'w' : '', status === 201 ? 'k' : '', editable ? 'm' : ''].join('');
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, member]) => member));
  const members = Object.entries(input.shape).flatMap(([member, shape]) => {
    if (inPath.has(member)) return [];
    const where = query.includes(member) ? ' (in the query)' : '';
    return shape.safeParse(undefined).success ? [`*${member}*${where}`] : [`${member}${where}`];
  });
  const body = takes === undefined ? [] : [`and \`${takes.type}\``];
  const same = command === undefined ? '' : ` (\`atrium ${command}\`)`;
  return `| \`${method} ${path}\`<br>${name} | ${marks} | ${[...members, ...body].join(', ')} | ${summary.replaceAll('|', '\\|')}${same} |\n`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../../docs/operations.md'), operationsPageOf(operations));
