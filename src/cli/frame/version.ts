import { readFileSync } from 'node:fs'
import { packageFile } from './own-files.ts'

export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
  return (manifest as { version: string }).version
}
