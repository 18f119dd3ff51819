import { parentPort, workerData } from 'node:worker_threads'
import { groupLooks, type Looks } from './group-looks.ts'

parentPort!.postMessage(groupLooks(workerData as Looks))
