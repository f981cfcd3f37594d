# Hourly measurements with gaps: means, indices by tables, tests, sets, sorting.
import numpy as np

hours = np.arange(24 * 14)
day, hour = np.divmod(hours, 24)
pm25 = 60.03 + 25 * np.sin(2 * np.pi * (hour - 6) / 24) + 3.0 * day + (hours * 7919 % 101) / 10
no2 = 30.05 + 10 * np.cos(2 * np.pi * hour / 12) + (hours * 104729 % 53) / 5
pollutants = np.array([pm25, no2]).T
pollutants[hours % 37 == 0, 0] = np.nan
pollutants[100:104, 1] = np.nan
print(pollutants[:3].round(2))
missing = np.isnan(pollutants)
missing_by_column = missing.sum(axis=0)
complete = pollutants[~missing.any(axis=1)]
means = np.nanmean(pollutants, axis=0)
deviations = np.nanstd(pollutants, axis=0, ddof=1)
lows, highs = np.nanmin(pollutants, 0), np.nanmax(pollutants, 0)
medians = np.nanmedian(pollutants, axis=0)
quartiles = np.nanpercentile(pollutants, [25, 50, 75], axis=0)
standard = (complete - complete.mean(axis=0)) / complete.std(axis=0)
filled = np.where(missing, means, pollutants)
zeroed = np.nan_to_num(pollutants[100:106, 1], nan=-1.0)
daily = filled.reshape(14, 24, 2).mean(axis=1)
worst_day = daily[:, 0].argmax()
cumulative = np.cumsum(filled, axis=0)
cumulative[24:] = cumulative[24:] - cumulative[:-24]
moving = cumulative[23:] / 24
smooth = np.convolve(filled[:, 0], np.ones(24) / 24, mode="valid")
same_average = np.allclose(moving[:, 0], smooth)
breakpoints = np.array([0, 30, 60, 90, 120, 250])
indices = np.array([0, 50, 100, 200, 300, 400])
position = np.searchsorted(breakpoints, filled[:, 0]) - 1
low, high = breakpoints[position], breakpoints[position + 1]
aqi = indices[position] + (indices[position + 1] - indices[position]) * (filled[:, 0] - low) / (high - low)
by_interp = np.interp(filled[:, 0], breakpoints, indices)
difference = abs(aqi - by_interp).max() < 1e-9
names = np.array(["good", "satisfactory", "moderate", "poor", "very poor"])
categories, hours_in = np.unique(names[position], return_counts=True)
for name, count in zip(categories, hours_in, strict=True):
    print(f"{name:>14s} {count:4d}")
correlation = np.corrcoef(complete, rowvar=False)
covariance = np.cov(complete.T)
lags = np.correlate(standard[:48, 0], standard[:12, 0], "valid")
before, after = daily[:7, 0], daily[7:, 0]
change = after - before
t_value = np.mean(change) / (np.std(change, ddof=1) / np.sqrt(change.size))
significant = bool(t_value > 2.45)
order = np.argsort(daily[:, 0])[::-1]
ranks = np.empty_like(order)
ranks[order] = np.arange(order.size)
top_three = np.sort(np.partition(daily[:, 1], -3)[-3:])
by_two_keys = np.lexsort((hour[:48], pm25[:48].round(-1)))
dirty = np.flatnonzero(filled[:, 0] > 110)
busy = np.flatnonzero(filled[:, 1] > 45)
both = np.intersect1d(dirty, busy)
either = np.union1d(dirty, busy)
only_dirty = np.setdiff1d(dirty, busy)
exclusive = np.setxor1d(dirty, busy)
was_busy = np.isin(dirty, busy)
assert len(either) == both.size + exclusive.size
weighted = np.average(filled[:, 0], weights=hour + 1)
rush = np.logical_or(hour == 8, hour == 18)
rush_mean = filled[rush].mean(axis=0)
hourly = np.array([filled[hour == h, 1].mean() for h in range(24)])
peak_hours = hourly.argsort(kind="stable")[-2:]
safe = np.ma.masked_invalid(pollutants[:, 0]).mean()
print(f"peak hours {peak_hours}, weighted mean {weighted:.2f}, largest {np.nanargmax(pollutants[:, 0])}")
