"""Where the data is: dtypes, layouts, arrays in device memory and their exchange."""
