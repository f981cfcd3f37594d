# Fits: transistors by year, carbon dioxide with seasons, polynomials.
import numpy as np

years = np.array([1971, 1972, 1974, 1978, 1982, 1985, 1989, 1993, 1997, 1999, 2003, 2006, 2008, 2012, 2017])
transistors = np.array(
    [2.3e3, 3.5e3, 4.5e3, 2.9e4, 5.5e4, 2.75e5, 1.18e6, 3.1e6, 7.5e6, 9.5e6, 1.05e8, 2.9e8, 7.3e8, 1.4e9, 4.8e9]
)
print(f"{len(years)} machines from {years[0]} to {years[-1]}")
moore = np.log(2) / 2
start = np.log(2300) - moore * 1971
predicted = np.exp(moore * years + start)
y = np.log(transistors)
z = np.vstack([years - 1970, np.ones(years.size)]).T
coefficients = np.linalg.lstsq(z, y, rcond=None)[0]
slope, intercept = coefficients
doubling = np.log(2) / slope
print(f"doubles every {doubling:.2f} years, {np.exp(2 * slope):.2f} times in two")
fitted = np.exp(z @ coefficients)
same = np.polyfit(years - 1970, y, 1)
close = np.isclose(same, coefficients).all()
ratio = np.log10(fitted / transistors)
worst = years[np.abs(ratio).argmax()]
total = np.sum((y - y.mean()) ** 2)
r_squared = 1 - np.sum((y - np.log(fitted)) ** 2) / total
table = np.block([[years], [transistors], [fitted.round()]]).T
selected = table[(years >= 1980) & (years < 2000)]
gaps = np.diff(years, prepend=1970)
every_year = np.arange(years.min(), years.max() + 1)
interpolated = np.exp2(np.interp(every_year, years, np.log2(transistors)))
logarithmic = np.logspace(3, 10, 8)
geometric = np.geomspace(1, 256, num=9)
crossing = every_year[np.searchsorted(interpolated, logarithmic[1:-1])]
months = np.arange(0, 240)
t = months / 12.0
co2 = 338 + 1.4 * t + 0.012 * t**2 + 3.1 * np.sin(2 * np.pi * t) + 0.7 * np.cos(4 * np.pi * t)
design = np.stack([np.ones_like(t), t, t**2, np.sin(2 * np.pi * t), np.cos(4 * np.pi * t)], axis=1)
found, residuals, rank, singular_values = np.linalg.lstsq(design, co2, rcond=None)
print(np.round(found, 4))
quadratic = np.poly1d(np.polyfit(t, co2, deg=2))
trend = quadratic(t)
detrended = co2 - trend
season = detrended.reshape(-1, 12).mean(axis=0)
quarters = np.array(["winter", "spring", "summer", "autumn"])
highest = quarters[season.argmax() // 3]
rate = quadratic.deriv()(10)
later = np.polyval(quadratic.coeffs, 30.0)
growth = np.gradient(trend, t)
yearly = co2.reshape(20, 12)
annual_mean = yearly.mean(1)
annual_range = yearly.max(1) - yearly.min(1)
increase = np.ediff1d(annual_mean)
doubled = np.log1p(annual_mean / 280 - 1) / np.log(2)
series = np.polynomial.Polynomial.fit(t, co2, 2)
plain = series.convert().coef
area = series.integ()(1.0) - series.integ()(0.0)
chebyshev = np.polynomial.chebyshev.chebval(0.5, [1, 2, 3])
roots = np.sort(np.roots([1, -6, 11, -6]).real)
product = np.polymul([1, -1], [1, 1])
quotient, remainder = np.polydiv([1.0, -6.0, 11.0, -6.0], [1.0, -1.0])
from_roots = np.poly([1, 2, 3])
trapezoid = np.trapezoid(co2, t)
weighted = np.polyfit(t, co2, 1, w=np.linspace(0.1, 1, t.size))
fit_errors = np.sqrt(np.diag(np.polyfit(t, co2, 1, cov=True)[1]))
print("%d: %.1f ppm" % (2000, np.polyval(weighted, 20)))
