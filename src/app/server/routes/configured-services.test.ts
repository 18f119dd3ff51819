import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'

test('the services call names only what is configured', async (context) => {
  const bare = await testApp(context)
  assert.deepEqual((await (await bare.register()).get('/api/services')).json(), {
    hasAi: false,
    hasBackgroundRemoval: false,
    hasImageKit: false,
    aiLanguage: 'en',
    writtenLanguages: ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'],
  })
  const full = await testApp(context, {
    ...{ AI_BASE_URL: 'http://127.0.0.1:9', AI_MODEL: 'none', AI_LANGUAGE: 'pt-br' },
    IMAGEKIT_PRIVATE_KEY: 'private',
    IMAGEKIT_URL_ENDPOINT: 'https://ik.example/albumen',
  })
  assert.deepEqual((await (await full.register()).get('/api/services')).json(), {
    hasAi: true,
    hasBackgroundRemoval: false,
    hasImageKit: true,
    aiLanguage: 'pt-BR',
    writtenLanguages: null,
  })
})
