import { parentPort, workerData } from 'node:worker_threads'
import { groupHashes, type LibraryHashes } from './group-hashes.ts'

parentPort!.postMessage(groupHashes(workerData as LibraryHashes))
