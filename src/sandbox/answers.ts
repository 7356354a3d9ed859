import type { Operation } from '../core/operation.ts'
import { getUser, listUsers } from '../resources/users.ts'
import type { Answering } from './call.ts'
import { userAnswers } from './user-answers.ts'

/** Routes only: paths, methods, labels to count under, and which bearer. What is answered is the sandbox's own. */
export const operations: readonly Operation[] = [listUsers, getUser]

export const answers: Readonly<Record<string, Answering>> = { ...userAnswers }
