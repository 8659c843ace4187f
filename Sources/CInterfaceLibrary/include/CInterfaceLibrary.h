/* Settings of the dynamic library; there is nothing to call. */
