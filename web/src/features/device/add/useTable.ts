import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { deviceKeys } from '@/lib/device/queries';
import { sceneKey } from '@/lib/device/scenes';
import { api } from '@/lib/http/api';
import { errorText, formErrorText } from '@/lib/http/errorText';
import { ApiError, isNoAnswer } from '@/lib/http/http';
import { overviewQuery } from '@/lib/http/queries';
import { keepAdded } from './added';
import { checkTable, readTable, type TableError } from './tableFile';

type Result = components['schemas']['DeviceImportResult'];
export type TableProblem = components['schemas']['ImportError'];

const send = (csv: string, dryRun: boolean): Promise<Result> =>
  api.post('/admin-api/client/pc/device/import', { body: { csv, dryRun } });

/** The problems of a table that was refused; none if it was refused as a whole. */
function problemsOf(error: unknown): readonly TableProblem[] {
  const data = error instanceof ApiError && error.kind === 'business' ? (error.data as Partial<Result> | null) : null;
  return Array.isArray(data?.errors) ? data.errors : [];
}

/** Many devices of a table: it is checked first, and added only as it was checked. */
export function useTable() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [error, setError] = useState<TableError>();
  const [opening, setOpening] = useState(false);
  // The file that was chosen last: an earlier one may take longer to read.
  const latest = useRef<File | null>(null);
  const field = useRef<{ focus: () => void } | null>(null);

  const check = useMutation({
    mutationFn: (csv: string) => send(csv, true),
    meta: { shows: [601], failure: 'device.table.checkFail' },
  });
  const add = useMutation({
    // Returns nothing: the secrets are kept in a single place, from which the user dismisses them.
    mutationFn: async (csv: string) => {
      const { created } = await send(csv, false);
      const rows = created.map(({ noteName, deviceName = '', secret = '' }) => ({ noteName, deviceName, secret }));
      keepAdded({ kind: 'table', rows });
    },
    meta: { shows: [601], failure: 'device.table.fail' },
    // Also after a failure: if the answer was lost, the devices may be there.
    onSettled: () => {
      for (const queryKey of [deviceKeys.all, sceneKey, overviewQuery().queryKey]) {
        void client.invalidateQueries({ queryKey });
      }
    },
  });

  const forget = () => {
    setError(undefined);
    if (!check.isIdle) check.reset();
    if (!add.isIdle) add.reset();
  };
  const type = (lines: string) => {
    latest.current = null;
    setText(lines);
    forget();
  };
  const look = (lines: string) => {
    forget();
    const wrong = checkTable(lines);
    setError(wrong);
    if (wrong) field.current?.focus();
    else check.mutate(lines);
  };
  const open = (file: File) => {
    latest.current = file;
    setOpening(true);
    void readTable(file).then((read) => {
      if (latest.current !== file) return;
      setOpening(false);
      if ('error' in read) {
        forget();
        setError(read.error);
        return;
      }
      setText(read.text);
      look(read.text);
    });
  };

  const found = problemsOf(add.error);
  const problems = found.length > 0 ? found : (check.data?.errors ?? problemsOf(check.error));
  const whole = isNoAnswer(add.error)
    ? t('device.table.lost', { error: errorText(add.error) })
    : (formErrorText(add.error) ?? formErrorText(check.error));
  return {
    text,
    field,
    error: error && t(error),
    busy: opening || check.isPending || add.isPending,
    adding: add.isPending,
    problems,
    /** Why the table was refused as a whole. */
    refusal: problems.length > 0 ? undefined : whole,
    /** How many devices would be added; undefined until the table is checked and good. */
    ready: check.data && problems.length === 0 ? check.data.created.length : undefined,
    type,
    open,
    submit: (event: FormEvent) => {
      event.preventDefault();
      if (check.isPending || add.isPending) return;
      if (check.data && problems.length === 0 && check.data.created.length > 0) add.mutate(text);
      else look(text);
    },
    dirty: text !== '',
    reset: () => type(''),
  };
}

export type Table = ReturnType<typeof useTable>;
