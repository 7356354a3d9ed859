/** How people call a command here: a clone runs the source through npm, the package has a program. */
export function calledAs(command: 'demo' | 'callsheet'): string {
  if (import.meta.url.endsWith('.ts')) return `npm run ${command} --`
  return command === 'callsheet' ? command : `callsheet ${command}`
}
