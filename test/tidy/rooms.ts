import { posix } from 'node:path'
import { importsOf } from './imports.ts'
import type { Finding, SourceFile } from './source-files.ts'

/**
 * The rooms of each layer by floors, the lowest first: a room may import rooms of lower floors alone. A dot
 * is the layer's own folder.
 */
export const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  core: [['.', 'errors'], ['time'], ['values'], ['declare'], ['erasure', 'records'], ['events']],
  api: [['answers'], ['rate'], ['client'], ['auth', 'files'], ['.']],
  warehouse: [
    ['connection'],
    ['archive', 'embedded'],
    ['evidence'],
    ['ledgers'],
    ['erasure', 'load'],
    ['notifications'],
  ],
  render: [['.'], ['xlsx'], ['page', 'parquet']],
  engine: [
    ['plan'],
    ['run'],
    ['manifest'],
    ['call', 'dispatch', 'evidence', 'report', 'sync'],
    ['archive', 'deletions', 'erase', 'receive', 'verify'],
    ['export', 'job', 'restore'],
    ['account', 'retention', 'scheduled', 'status'],
    ['alert', 'health'],
    ['apply'],
  ],
  sandbox: [
    ['base'],
    ['readings'],
    ['seed-data'],
    ['protocol'],
    ['access', 'forms', 'users'],
    ['notices', 'numbers', 'video'],
    ['whiteboards'],
    ['lists'],
    ['server'],
  ],
  cli: [
    ['catalog'],
    ['frame'],
    ['accounts'],
    ['apply', 'output'],
    ['actions', 'doctor'],
    ['serve'],
    ['archive'],
    ['demo'],
    ['commands'],
    ['.'],
  ],
}

/** Imports within a layer that do not lead down, and files in a room that no floor names. */
export function wrongFloors(file: SourceFile): Finding[] {
  const place = placeOf(file.path)
  if (place === undefined) return []
  const from = floorOf(place)
  if (from < 0) return [`${file.path} lies in a room that no floor names (${place.room})`]
  return importsOf(file).flatMap(({ ours, target, line }) => {
    const to = ours ? placeOf(target) : undefined
    if (to === undefined || to.layer !== place.layer || to.room === place.room) return []
    if (floorOf(to) < from) return []
    return [
      `${file.path}:${line} imports ${target}, and ${place.room} lies no higher than ${to.room}`,
    ]
  })
}

/** Folders of the program with more files than one can look over. */
export function crowdedFolders(paths: readonly string[]): Finding[] {
  const folders = Map.groupBy(paths, (path) => posix.dirname(path))
  return [...folders]
    .filter(([folder, files]) => files.length > MOST_FILES && !LISTS.includes(folder))
    .map(([folder, files]) => `${folder} holds ${files.length} files`)
}

interface Place {
  layer: string
  room: string
}

function placeOf(path: string): Place | undefined {
  const [top, layer = '', ...rest] = path.split('/')
  if (top !== 'src' || FLOORS[layer] === undefined) return undefined
  return { layer, room: rest.length > 1 ? (rest[0] ?? '') : '.' }
}

function floorOf({ layer, room }: Place): number {
  return FLOORS[layer]?.findIndex((rooms) => rooms.includes(room)) ?? -1
}

const MOST_FILES = 25
/** A file for each thing that is declared, all of one kind. */
const LISTS = ['src/resources', 'src/sandbox/lists', 'migrations']
