import { describe, expect, it } from 'vitest'
import { s3Error } from '../../src/store/s3-error.ts'

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
