import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import * as source from '../../../src/report/page/table-script.ts'
import { bundlePrograms } from '../../helpers/programs.ts'

it('the package has the same page script as the source', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'callsheet-script-'))
  const { page } = await bundlePrograms(directory, { page: 'src/report/page/table-script.ts' })
  const packaged = (await import(pathToFileURL(page).href)) as typeof source
  expect(packaged.pageScript()).toBe(source.pageScript())
  expect(source.pageScript()).toContain('IntersectionObserver')
  await rm(directory, { recursive: true })
})
