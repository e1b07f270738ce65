import type { SettingRow, SettingRows } from '#catalogue';

/** The name, the row and the value of a text `name=value`. */
export function settingOf(
  { rows }: { readonly rows: SettingRows },
  each: string,
): { name: string; row: SettingRow | undefined; value: string } {
  const at = each.indexOf('=');
  const name = (at < 0 ? each : each.slice(0, at)).trim();
  return { name, row: Object.hasOwn(rows, name) ? rows[name] : undefined, value: at < 0 ? '' : each.slice(at + 1).trim() };
}
