import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FLOORS, ROOMS } from './rooms.ts'
import { ROOT } from './source-files.ts'

/** What is wrong with the page that opens a room, against the map and what lies in the room. */
export function wrongHead(room: (typeof ROOMS)[number], head: string, map: string): string[] {
  const [title, , promise = ''] = head.split('\n')
  const row = `| \`${room}\` | ${promise} |`
  const folders = [...head.matchAll(/^\| `([\w-]+)` \| .+ \|$/gm)].map(([, folder]) => folder)
  const floors = (FLOORS[room] ?? []).flat().filter((floor) => floor !== '.')
  const named = [...head.matchAll(/`([\w/.-]+)`/g)].map(([, path = '']) => path)
  const absent = named.filter((path) => !existsSync(join(ROOT, 'src', room, path)))
  return [
    ...(title === `# ${room}` ? [] : [`${room}: its title is ${title}`]),
    ...(/^[A-Z][^.]+\.$/.test(promise) ? [] : [`${room}: no sentence says what it promises`]),
    ...(map.includes(row) ? [] : [`${room}: ARCHITECTURE.md promises something else`]),
    ...(String(folders) === String(floors) ? [] : [`${room}: folders ${String(folders)}`]),
    ...absent.map((path) => `${room}: names ${path}, which is not there`),
  ]
}

export function wrongHeads(): string[] {
  const map = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  return ROOMS.flatMap((room) =>
    wrongHead(room, readFileSync(join(ROOT, 'src', room, 'README.md'), 'utf8'), map),
  )
}
