/** RFC 4180: quoted fields with doubled quotes, lines that end in CRLF; behind the mark of UTF-8. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text
    .replace(/^\ufeff/, '')
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

/** The value of a cell, as the documentation says how to get it. */
export function withoutGuards(cell: string): string {
  const sign = /(?<=[;,|\t\r\n\u060c\u061b])'(?='*["\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/gu
  return cell.replace(/^'/, '').replace(sign, '')
}
