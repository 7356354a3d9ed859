import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import * as source from '../../src/audit/page/verify-page.ts'
import { bundlePrograms } from '../helpers/programs.ts'

it('the packaged page equals its source', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'callsheet-verify-script-'))
  const { page } = await bundlePrograms(directory, { page: 'src/audit/page/verify-page.ts' })
  const packaged = (await import(pathToFileURL(page).href)) as typeof source
  expect(await packaged.verifyPage()).toBe(await source.verifyPage())
  await rm(directory, { recursive: true })
})
