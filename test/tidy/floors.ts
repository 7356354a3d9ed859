import { importsOf } from './imports.ts'
import { FLOORS } from './rooms.ts'
import type { Finding, SourceFile } from './source-files.ts'

/** Imports within a room that do not lead down, and files in a folder that no floor names. */
export function wrongFloors(file: SourceFile): Finding[] {
  const place = placeOf(file.path)
  if (place === undefined) return []
  const from = floorOf(place)
  if (from < 0) return [`${file.path} lies in a folder that no floor names (${place.folder})`]
  return importsOf(file).flatMap(({ ours, target, line }) => {
    const to = ours ? placeOf(target) : undefined
    if (to === undefined || to.room !== place.room || to.folder === place.folder) return []
    if (floorOf(to) < from) return []
    return [
      `${file.path}:${line} imports ${target}, and ${place.folder} lies no higher than ${to.folder}`,
    ]
  })
}

interface Place {
  room: string
  folder: string
}

function placeOf(path: string): Place | undefined {
  const parts = path.split('/')
  const [room = '', ...rest] = parts[0] === 'src' ? parts.slice(1) : parts
  if (FLOORS[room] === undefined || (parts[0] !== 'src' && room !== 'sandbox')) return undefined
  return { room, folder: rest.length > 1 ? (rest[0] ?? '') : '.' }
}

function floorOf({ room, folder }: Place): number {
  return FLOORS[room]?.findIndex((folders) => folders.includes(folder)) ?? -1
}
