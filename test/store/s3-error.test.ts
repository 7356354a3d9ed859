import { describe, expect, it } from 'vitest'
import { s3Error } from '../../src/store/s3-error.ts'

describe('a failed call to a bucket', () => {
  it.each([
    [
      'CERT_HAS_EXPIRED',
      'the certificate of the service is not valid, or its authority is unknown',
    ],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'the certificate of the service is not valid, or its authority is unknown',
    ],
    ['ECONNRESET', 'the service cannot be reached, or closed the connection'],
    ['AccountProblem', 'the service has disabled the account or the bucket'],
  ])('(%s) is reported with its cause', (code, came) => {
    const error = s3Error(Object.assign(new Error('failed'), { code }), 'Storing a file')
    expect(error.facts.came).toBe(`${came} [${code}]`)
  })
})

describe('an error of the local disk while a file is sent to a bucket', () => {
  it.each([
    ['EACCES', 'make stateDirectory a folder that this user can write to'],
    ['EROFS', 'make stateDirectory a folder that this user can write to'],
    ['EMFILE', 'raise the limit of open files (ulimit -n)'],
    ['EIO', 'check the disk of stateDirectory'],
  ])('(%s) is reported with the remedy', (code, todo) => {
    const error = s3Error(Object.assign(new Error('failed'), { code }), 'Storing a file')
    expect(error.facts.todo).toBe(todo)
  })
})
