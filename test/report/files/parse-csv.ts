/** Parses a CSV by RFC 4180, with CRLF line ends, and skips a byte order mark. */
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

/** The text of a cell without formula guards, removed as the documentation describes. */
export function withoutGuards(cell: string): string {
  const sign = /(?<=[;,|\t\r\n\u060c\u061b])'(?='*["\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/gu
  return cell.replace(/^'/, '').replace(sign, '')
}
