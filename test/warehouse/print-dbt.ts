import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dbtProject } from './dbt-project.ts'

const folder = join(import.meta.dirname, '../../packaging/dbt')
rmSync(folder, { recursive: true, force: true })
for (const [path, content] of Object.entries(dbtProject())) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}
