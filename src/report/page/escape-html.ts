/**
 * Escapes text for element content and quoted attributes. Lone surrogates, and control characters except tab,
 * LF and CR, become a replacement character.
 */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(/(?![\t\n\r])\p{Cc}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
