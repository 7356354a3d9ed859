/**
 * Text for element content and quoted attributes. Control characters and lone surrogates show as a
 * replacement.
 */
export function escapeHtml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint: the control characters are the point
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')
  )
}
