import { ApiError, createIdleTimeout, type HttpResult, openEnvelope } from './http';

/** A picture over a slow mobile line takes long; only a lack of progress is a failure. */
export const uploadTimeoutMs = 60_000;

export interface UploadRequest {
  path: string;
  /** The form's parts by name; a File is sent with its name. */
  parts: Record<string, string | Blob | undefined>;
  headers?: Record<string, string>;
  /** Called with the fraction sent, 0 to 1. */
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
}

/**
 * Posts a form with files. Fails as `send` does. Uses XMLHttpRequest, because fetch reports no
 * upload progress.
 */
export async function sendForm({ path, parts, headers, onProgress, signal }: UploadRequest): Promise<HttpResult> {
  signal?.throwIfAborted();
  const silence = createIdleTimeout(uploadTimeoutMs);
  const request = new XMLHttpRequest();
  const abortSignal = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  try {
    return await new Promise<HttpResult>((resolve, reject) => {
      request.open('POST', path);
      for (const [name, value] of Object.entries(headers ?? {})) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total, lengthComputable }) => {
        silence.broken();
        if (lengthComputable && total > 0) onProgress?.(loaded / total);
      };
      request.onprogress = silence.broken;
      request.onload = () => {
        try {
          resolve(
            openEnvelope(request.status, request.responseText, { get: (name) => request.getResponseHeader(name) }),
          );
        } catch (error) {
          reject(error);
        }
      };
      request.onerror = () => reject(new ApiError(0, '', 'network'));
      abortSignal.addEventListener('abort', () => {
        reject(signal?.aborted ? signal.reason : new ApiError(0, '', 'timeout'));
        request.abort();
      });
      request.send(formDataOf(parts));
    });
  } finally {
    silence.over();
  }
}

function formDataOf(parts: UploadRequest['parts']): FormData {
  const data = new FormData();
  for (const [name, part] of Object.entries(parts)) if (part !== undefined) data.append(name, part);
  return data;
}
