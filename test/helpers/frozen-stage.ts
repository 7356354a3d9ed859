import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { FileStore } from '../../src/store/store.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { onDatabase } from './database-url.ts'
import { type EvidenceStage, openEvidenceStage } from './evidence-stage.ts'
import { plainStore } from './plain-store.ts'

/** A snapshot of a stage; each `thaw` opens a new copy of it. */
export interface FrozenStage {
  thaw(): Promise<EvidenceStage>
  drop(): Promise<void>
}

/** Closes a stage and stores its state, so that copies can be opened as the same role. */
export async function freeze(
  stage: EvidenceStage,
  openStore: (directory: string) => FileStore = plainStore,
): Promise<FrozenStage> {
  const { warehouse, store, directory, pem, databaseUrl } = stage
  await store.close()
  await warehouse.close()
  const serverUrl = inject('serverUrl')
  const administer = async (statement: string): Promise<void> => {
    const admin = connect({ url: serverUrl, poolSize: 1 })
    await admin.withClient((client) => client.query(statement))
    await admin.close()
  }
  const template = new URL(databaseUrl).pathname.slice(1)
  const drop = (name: string) => administer(`drop database if exists ${name} with (force)`)
  let copies = 0
  return {
    async thaw() {
      const name = `${template}_${++copies}`
      await administer(`create database ${name} template ${template} strategy file_copy`)
      const copy = mkdtempSync(join(tmpdir(), 'callsheet-evidence-'))
      cpSync(directory, copy, { recursive: true })
      const database = { url: onDatabase(databaseUrl, name), drop: () => drop(name) }
      return await openEvidenceStage(database, { directory: copy, pem, store: openStore(copy) })
    },
    async drop() {
      await drop(template)
      rmSync(directory, { recursive: true })
    },
  }
}
