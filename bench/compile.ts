import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import packageOptions, { programs } from '../rolldown.config.ts'
import { COMPILED } from './child.ts'

/** Makes the contestants as the package's own programs are made. */
export async function compileContestants(): Promise<void> {
  const input = Object.fromEntries(CONTESTANTS.map((name) => [name, `bench/${name}.ts`]))
  await build(programs(input, fileURLToPath(COMPILED)))
}

/** Makes the package's programs. */
export async function compilePackage(): Promise<void> {
  await build(packageOptions)
}

const CONTESTANTS = [
  'archive-ours',
  'archive-plain',
  'archive-server',
  'bundle-large',
  'bundle-write',
  'copy',
  'drain',
  'ours',
  'page-write',
  'pages-server',
  'plain-script',
  'publish',
  'quota-drives',
  'serve-accounts',
  'verify-evidence',
]
