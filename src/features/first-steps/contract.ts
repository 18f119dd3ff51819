import { z } from 'zod'
import { route } from '#platform/contract.ts'

const SampleCount = z.object({ count: z.number() })

export const firstStepsApi = {
  countSamples: route({
    method: 'GET',
    path: '/api/sample-pictures',
    summary: 'Count the sample pictures in your library',
    response: SampleCount,
  }),
  addSamples: route({
    method: 'POST',
    path: '/api/sample-pictures',
    summary: 'Add ten sample pictures to your library; those that are there already are left out',
    isLong: true,
    success: 201,
    response: SampleCount,
  }),
  removeSamples: route({
    method: 'DELETE',
    path: '/api/sample-pictures',
    summary: 'Permanently delete the sample pictures in your library, and their copies',
    response: SampleCount,
  }),
}
