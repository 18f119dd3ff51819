import { AppError, unsupportedType } from '#platform/errors.ts'

export const notAccepted = () => unsupportedType('This file is not a JPEG, PNG, GIF or WebP picture.')

export const corrupt = () =>
  new AppError('corrupt-image', 415, 'This picture is damaged or incomplete and cannot be read.')

export const tooManyPixels = (message = 'Pictures of more than 100 megapixels are not accepted.') =>
  new AppError('too-many-pixels', 413, message)

export const tooSlow = () => new AppError('too-slow', 413, 'This picture takes too long to work on.')
