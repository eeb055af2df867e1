import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { now } from '@/lib/format/clock';
import { api } from '@/lib/http/api';
import { useForm } from '@/ui/form/useForm';
import { refetchReadings } from './queries';
import {
  type CalibrationError,
  type CalibrationValues,
  calibrationBody,
  calibrationRefusal,
  checkCalibration,
} from './rules';

const minuteMs = 60_000;

function emptyCalibration(sign: string): CalibrationValues {
  // The minute that has begun, as the field shows it: never a time that is still to come.
  const fromTime = Math.floor(now() / minuteMs) * minuteMs;
  return { sign, fromTime, kind: 'offset', offset: '', raw1: '', true1: '', raw2: '', true2: '', note: '' };
}

/** The values of a calibration to make, and what becomes of them. */
export function useCalibrationForm(deviceName: string, sign: string, onSaved: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [values, setValues] = useState(() => emptyCalibration(sign));
  const create = useMutation({
    mutationFn: (wanted: CalibrationValues) =>
      api.post('/admin-api/client/pc/device/calibration/create', { body: calibrationBody(deviceName, wanted) }),
    meta: { shows: [601], failure: 'common.saveFail' },
    onSuccess: () => {
      toast.success(t('calibration.saved'));
      onSaved();
    },
    // Also after a failure: if the answer was lost, the calibration may hold.
    onSettled: () => refetchReadings(client),
  });
  const form = useForm<CalibrationValues, CalibrationError>({
    values,
    check: (some) => checkCalibration(some, now()),
    busy: create.isPending,
    onSubmit: (wanted) => create.mutate(wanted),
  });
  return {
    form,
    values,
    busy: create.isPending,
    refusal: calibrationRefusal(create.error, t),
    /** Whether something that was typed would be lost. */
    dirty: (['offset', 'raw1', 'true1', 'raw2', 'true2', 'note'] as const).some((name) => values[name] !== ''),
    change: (part: Partial<CalibrationValues>) => {
      setValues((before) => ({ ...before, ...part }));
      // What the server said no longer holds once something is changed.
      if (create.isError) create.reset();
    },
  };
}

export type CalibrationForm = ReturnType<typeof useCalibrationForm>;
